"""Which project a working directory belongs to.

A project's root is the real path of the git working tree's common directory (so that worktrees of one repository are
one project), else the working directory itself. A worktree is joined only when the common directory's own entry points
back at it, because a `.git` file in a hostile folder could otherwise claim another project. Never a basename, never a
remote URL, never `/`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

MAX_DEPTH = 64  # folders walked upwards
MAX_POINTER = 4_096  # bytes read of a `.git` file, and of what it points at
WORKTREES = "worktrees"  # where a repository keeps an entry for each of its worktrees


def root_of(cwd: str, host: str, *, apart: bool = False) -> str:
    """Return the project root for a session's first recorded working directory (or "" when none was recorded).

    apart: a worktree is a project of its own.
    """
    if not cwd or (not cwd.startswith("/") and ":" not in cwd):
        return f"host:{host}"
    path = Path(cwd)
    if not path.is_absolute() or not _is_dir(path):
        return _named(cwd, host)
    real = Path(os.path.realpath(path))
    for folder in [real, *real.parents][:MAX_DEPTH]:
        found = _git_root(folder, apart=apart)
        if found is not None:
            real = found
            break
    return f"host:{host}" if str(real) == real.anchor else str(real)


def _named(cwd: str, host: str) -> str:
    """Return a root for a folder that is not on this machine: its path as it was recorded."""
    plain = cwd.rstrip("/\\")
    return plain if plain and not plain.endswith(":") else f"host:{host}"


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _git_root(folder: Path, *, apart: bool) -> Path | None:
    entry = folder / ".git"
    try:
        if entry.is_dir():
            return folder if (entry / "HEAD").exists() else None
        pointer = _pointer(entry)
    except OSError:
        return None
    if not pointer.startswith("gitdir:"):
        return None
    return folder if apart else _worktree_root(folder, entry, folder / pointer[7:].strip())


def _worktree_root(folder: Path, entry: Path, private: Path) -> Path:
    """Return the main working tree of a linked worktree whose private folder points back, else the folder itself.

    That private folder is the repository's own: anybody can make another one that points wherever it likes.
    """
    try:
        back, common = _pointer(private / "gitdir"), _pointer(private / "commondir")
    except OSError:
        return folder
    if os.path.realpath(private / back) != os.path.realpath(entry):
        return folder
    shared = Path(os.path.realpath(private / common))
    if Path(os.path.realpath(private)).parent != shared / WORKTREES:
        return folder
    return shared.parent if shared.name == ".git" else shared


def _pointer(path: Path) -> str:
    """Return the path that a file of git's holds, "" for what is no file; raise `OSError` where it cannot be read.

    Who made the folder may have put a pipe there, a device without an end, or characters that no path has.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ""
        return file.read(MAX_POINTER).decode("utf-8", "replace").strip().replace("\0", "\ufffd")


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
