"""Writes an installation's edits: all of them or none, each file whole, links and modes as they are."""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from unabridged.cli import journal as journals
from unabridged.cli.journal import APPLYING, Journal
from unabridged.daemon import safety
from unabridged.daemon.paths import Layout
from unabridged.errors import PathUnreadable, ReadOnly, UnabridgedError, UnsafePath, WouldOverwrite
from unabridged.hosts.installing import Edit, Kept, Target, digest

MAX_BYTES = 64 << 20  # of a file of an agent: what `hosts.jsonc` takes
FILE_MODE = 0o644
FOLDER_MODE = 0o755
WRITES = 0o222
MOUNTED = (errno.EBUSY, errno.EXDEV)  # a file that is itself a mount, as in containers, cannot be replaced


def read(path: str) -> bytes | None:
    """Return a file's bytes, through links; None where there is no file. Raises `PathUnreadable`, `UnsafePath`.

    A project's files can be anything: a pipe that nobody writes to, or a device without an end, is not read.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnsafePath("what stands there is no file", path=path, hint="Move it away.")
            content = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise UnsafePath("a folder stands where a file belongs", path=path, hint="Move it away.") from error
    except OSError as error:
        raise PathUnreadable(
            f"{path}: {error.strerror}", hint="Give yourself the right to read it."
        ) from error
    except ValueError as error:
        raise UnsafePath("that is no path", path=path) from error
    if len(content) > MAX_BYTES:
        raise UnsafePath("the file is too large for settings", path=path, limit=MAX_BYTES)
    return content


def apply(
    place: Layout, before: Journal, after: Journal, edits: Sequence[Edit], targets: Sequence[Target]
) -> list[str]:
    """Carry edits out; returns where copies of what a person had changed in our own files are kept.

    before, after: the installation's journal. targets: all that this agent can have of us. What was written is taken
    back when one of the edits fails.
    """
    changes = [edit for edit in edits if edit.changes]
    for edit in changes:
        check(edit, after.project)
    for edit in edits:
        _sweep(edit.path)
    spared = [_spare(place, edit) for edit in changes if edit.spare and edit.before is not None]
    made: list[str] = []
    for edit in changes:
        if edit.after is not None:
            made += missing_folders(os.path.realpath(edit.path))
    # Of what only goes, the journal still says what it was: a run that is killed is then undone exactly.
    new = [edit for edit in edits if edit.after != edit.original or edit.path not in before.files]
    kept = {**before.files, **{edit.path: Kept(edit.original, digest(edit.after)) for edit in new}}
    both = tuple(dict.fromkeys((*before.folders, *made)))
    journals.write(place, replace(after, files=kept, state=APPLYING, folders=both))
    for number, edit in enumerate(changes):
        try:
            _write(edit)
        except (OSError, WouldOverwrite) as error:
            if _undone(changes[:number]):
                _clear(made)
                journals.write(place, before)
            raise _denied(error, edit.path) if isinstance(error, OSError) else error from error
    finished = replace(journals.finished(after), folders=both if after.files else ())
    if not after.files:
        _clear({*both, *(folder for target in targets for folder in _folders_of_ours(target))})
    journals.write(place, finished)
    return spared


def check(edit: Edit, project: str = "") -> None:
    """Refuse an edit that could not be written, or that a link in a project leads out of it.

    Raises `ReadOnly` or `UnsafePath`.
    """
    path = Path(os.path.realpath(edit.path))
    if project and Path(edit.path).is_relative_to(project) and not path.is_relative_to(_real(project)):
        raise UnsafePath(
            "a link leads out of the project", path=edit.path, target=str(path), hint="Take the link away."
        )
    try:
        found = path.stat()
    except FileNotFoundError:
        found = None
    except OSError as error:
        raise _denied(error, edit.path) from error
    if found is not None and (not found.st_mode & WRITES or not os.access(path, os.W_OK)):
        raise ReadOnly(f"{edit.path} may not be written", hint="Give yourself the right to write it.")
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise UnsafePath("a file stands where a folder belongs", path=str(folder), hint="Move it away.")
    if not os.access(folder, os.W_OK | os.X_OK) or not folder.stat().st_mode & WRITES:
        raise ReadOnly(f"nothing may be written in {folder}", hint="Give yourself the right to write there.")


def missing_folders(path: str) -> list[str]:
    """Return the folders above a file that are not there yet, the outermost first."""
    found: list[str] = []
    folder = Path(path).parent
    while not folder.exists():
        found.append(str(folder))
        folder = folder.parent
    return found[::-1]


def _real(path: str) -> str:
    return os.path.realpath(path)


def _beside(path: Path, mark: object) -> str:
    return f".{path.name}.{mark}.una"


def _sweep(path: str) -> None:
    """Remove what a run that was killed had begun to write beside a file."""
    real = Path(_real(path))
    for left in real.parent.glob(_beside(Path(glob.escape(real.name)), "[0-9]*")):
        left.unlink(missing_ok=True)


def _undone(changes: Sequence[Edit]) -> bool:
    """Take changes back; False where that cannot be: the journal then says what is left to do."""
    whole = True
    for done in reversed(changes):
        try:
            _write(replace(done, before=done.after, after=done.before))
        except (OSError, WouldOverwrite):
            whole = False
    return whole


def _write(edit: Edit) -> None:
    path = Path(os.path.realpath(edit.path))
    _expect(edit)
    if edit.after is None:
        path.unlink(missing_ok=True)
        return
    for folder in missing_folders(str(path)):
        os.mkdir(folder, FOLDER_MODE)  # noqa: PTH102
    there = path.stat() if path.exists() else None
    mode = stat.S_IMODE(there.st_mode) if there is not None else FILE_MODE
    beside = path.with_name(_beside(path, os.getpid()))
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123
            if there is not None and (there.st_uid, there.st_gid) != _owner(file.fileno()):
                _give(file.fileno(), there)
            os.fchmod(file.fileno(), mode)
            file.write(edit.after)
            file.flush()
            os.fsync(file.fileno())
        _expect(edit)
        beside.replace(path)
    except WouldOverwrite:
        beside.unlink(missing_ok=True)
        raise
    except OSError as error:
        beside.unlink(missing_ok=True)
        if error.errno not in MOUNTED or not path.exists():
            raise
        path.write_bytes(edit.after)


def _owner(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_uid, found.st_gid


def _give(descriptor: int, there: os.stat_result) -> None:
    """Keep a file's owner, as root may: else the agent of that user could not write its settings any more."""
    try:
        os.fchown(descriptor, there.st_uid, there.st_gid)
    except PermissionError:
        return  # it may be written by us, but not owned by another


def _expect(edit: Edit) -> None:
    """Refuse to write over what came into a file since it was read: agents write their settings while they run."""
    if read(edit.path) != edit.before:
        raise WouldOverwrite(
            "the file was changed while it was worked on", path=edit.path, hint="Run the command again."
        )


def _folders_of_ours(target: Target) -> list[str]:
    if not target.root:
        return []
    above = Path(target.path).parents
    return [
        str(folder) for folder in above if folder == Path(target.root) or Path(target.root) in folder.parents
    ]


def _clear(folders: Iterable[str]) -> None:
    """Remove folders that we made, where nothing else has come into them."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)  # noqa: PTH106
        except OSError:
            continue


def _spare(place: Layout, edit: Edit) -> str:
    content = edit.before or b""
    name = f"{Path(edit.path).name}.{sha256(content).hexdigest()[:12]}"
    folder = journals.folder(place) / "changed"
    safety.make_folders(str(folder))
    (folder / name).write_bytes(content)
    return str(folder / name)


def _denied(error: OSError, path: str) -> UnabridgedError:
    return safety.unwritable(error, path)
