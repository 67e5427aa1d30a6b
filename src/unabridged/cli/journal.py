"""What an installation changed in an agent's files: what stood there before, and what was written.

One file an installation, in the home's own folder, readable by its user alone: settings of agents can hold secrets.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import re
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from unabridged.daemon import safety
from unabridged.daemon.paths import Layout
from unabridged.errors import Corrupt, Overloaded
from unabridged.hosts.installing import PROJECT, Facts, Kept

VERSION = 1
APPLYING, APPLIED = "applying", "applied"
WAIT_SECONDS = 30.0  # for another installation that runs
POLL_SECONDS = 0.05

_NAME = re.compile(r"(.+)-(user|project)(?:-[0-9a-f]{16})?\.json")


@dataclass(frozen=True, slots=True)
class Journal:
    """One installation. files: what stood before and the digest of what we wrote, by path; folders: made by us.

    facts: what the commands in the host's files name: python, hook, una, archive; version: of this program.
    """

    host: str
    scope: str
    project: str = ""
    version: str = ""
    state: str = APPLIED
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, Kept] = field(default_factory=dict[str, Kept])
    folders: tuple[str, ...] = ()


def is_orphan(journal: Journal) -> bool:
    """Tell whether an installation is of a project that is not there any more."""
    return journal.scope == PROJECT and not os.path.isdir(journal.project)  # noqa: PTH112


def folder(place: Layout) -> Path:
    """Return the folder of journals."""
    return Path(place.installations)


def path_of(place: Layout, host: str, scope: str, project: str) -> Path:
    """Return an installation's file."""
    mark = f"-{sha256(os.fsencode(project)).hexdigest()[:16]}" if scope == PROJECT else ""
    return folder(place) / f"{host}-{scope}{mark}.json"


def load(place: Layout, facts: Facts, host: str) -> Journal:
    """Return an installation; without files where there is none."""
    path = path_of(place, host, facts.scope, facts.project)
    return read(path) if path.exists() else Journal(host, facts.scope, facts.project)


def read(path: Path) -> Journal:
    """Read a journal. Raises `Corrupt` where it is not one."""
    try:
        found = cast("dict[str, Any]", json.loads(path.read_bytes()))
        files = {
            name: Kept(None if row["before"] is None else base64.b64decode(row["before"]), str(row["after"]))
            for name, row in found["files"].items()
        }
        return Journal(
            found["host"],
            found["scope"],
            found["project"],
            found["version"],
            found["state"],
            found["facts"],
            files,
            tuple(found["folders"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise Corrupt(
            f"the journal of {named(path)} cannot be read",
            path=str(path),
            hint="`una doctor --fix` moves it away and installs anew.",
        ) from error


def named(path: Path) -> str:
    """Return what a journal is about, as its file's name has it: `codex`, `codex project`."""
    found = _NAME.fullmatch(path.name)
    return " ".join((found[1], *["project"] * (found[2] == PROJECT))) if found else "an installation"


def _all(place: Layout) -> Generator[tuple[Path, Journal | None]]:
    for path in sorted(folder(place).glob("*.json")):
        try:
            yield path, read(path)
        except Corrupt:
            if path.exists():  # else another run has just ended it
                yield path, None


def every(place: Layout) -> tuple[Journal, ...]:
    """Return all installations of a home, but for those whose journal is `damaged`."""
    return tuple(journal for _, journal in _all(place) if journal is not None)


def damaged(place: Layout) -> tuple[Path, ...]:
    """Return the journals that cannot be read: they stop what is about their own agent alone."""
    return tuple(path for path, journal in _all(place) if journal is None)


def put_aside(place: Layout, path: Path) -> Path:
    """Move a damaged journal to where nobody looks for one; returns where it is."""
    aside = folder(place) / "damaged"
    safety.make_folders(str(aside))
    number = 1
    while (aside / f"{path.name}.{number}").exists():
        number += 1
    return path.rename(aside / f"{path.name}.{number}")


def write(place: Layout, journal: Journal) -> None:
    """Replace an installation's file, on disk when this returns; one without files goes."""
    path = path_of(place, journal.host, journal.scope, journal.project)
    if not journal.files and journal.state == APPLIED:
        path.unlink(missing_ok=True)
        return
    rows = {
        name: {
            "before": None if kept.before is None else base64.b64encode(kept.before).decode(),
            "after": kept.after,
        }
        for name, kept in journal.files.items()
    }
    known = {
        "version_of_format": VERSION,
        "host": journal.host,
        "scope": journal.scope,
        "project": journal.project,
        "version": journal.version,
        "state": journal.state,
        "facts": dict(journal.facts),
        "files": rows,
        "folders": list(journal.folders),
    }
    beside = path.with_name(path.name + ".new")
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, safety.PRIVATE_FILE), "w") as file:  # noqa: PTH123
            json.dump(known, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise safety.unwritable(error, str(path)) from error


def finished(journal: Journal) -> Journal:
    """Return the journal of an installation that is whole."""
    return replace(journal, state=APPLIED)


@contextmanager
def locked(place: Layout, home: str) -> Generator[None]:
    """Hold the locks of installations: two never write at once, nor two archives' into one user's `home`.

    Raises `Overloaded` after half a minute.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    safety.make_folders(str(folder(place)))
    with ExitStack() as held:
        file = held.enter_context(open(folder(place) / "lock", "ab"))  # noqa: PTH123
        _lock(file.fileno(), deadline)
        try:
            descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            yield  # a home that cannot be listed
            return
        held.callback(os.close, descriptor)
        _lock(descriptor, deadline)
        yield


def _lock(descriptor: int, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Overloaded("another installation runs on this home", hint="Try again.") from None
            time.sleep(POLL_SECONDS)
        except OSError:
            return None  # a file system without such locks
