"""Looks for transcripts: the worker's side of an import's first step."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unabridged.daemon.messages import Find, Found, FoundSome, Trouble
from unabridged.daemon.rowfeed import version_number
from unabridged.errors import NotATranscript, NoTranscripts, PathNotFound, PathUnreadable, UnabridgedError
from unabridged.hosts.contract import Candidate, Host

SNIFF_BYTES = 64 << 10  # bytes of a file that a host looks at
PAGE = 200  # files reported at once

Item = Found | Trouble


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file to look at: `named` by the caller, or where a host keeps its sessions."""

    path: Path
    hosts: Sequence[Host]
    named: bool


def find(request: Find, hosts: Mapping[str, Host]) -> Iterator[FoundSome]:
    """Answer a `Find` in pages, the last one marked."""
    chosen = [hosts[name] for name in request.hosts if name in hosts]
    if request.paths:
        places = [Place(Path(path), chosen, named=True) for path in request.paths]
    else:
        home = Path(request.home)
        places = [
            Place(root, [host], named=False)
            for host in chosen
            for root in host.roots(request.env, home, request.platform)
        ]
    files, troubles, seen = list[Found](), list[Trouble](), set[str]()
    only = frozenset(request.only)
    for place in places:
        for item in _of_place(place, seen, only):
            if isinstance(item, Trouble):
                troubles.append(item)
            else:
                files.append(item)
            if len(files) + len(troubles) >= PAGE:
                yield FoundSome(files, troubles)
                files, troubles = [], []
    yield FoundSome(files, troubles, last=True)


def _of_place(place: Place, seen: set[str], only: frozenset[str]) -> Iterator[Item]:
    path = place.path
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if place.named:
            yield _trouble(path, PathNotFound())
        return
    except OSError as error:
        yield _trouble(path, PathUnreadable(error.strerror or ""))
        return
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        yield _trouble(path, NotATranscript("that is neither a file nor a folder"))
        return
    if not os.access(path, os.R_OK | (os.X_OK if stat.S_ISDIR(mode) else 0)):
        yield _trouble(path, PathUnreadable())
        return
    if stat.S_ISDIR(mode) and not only:
        yield from _closed_folders(path)
    count = 0
    for host in place.hosts:
        for candidate in host.find(path):
            real = os.path.realpath(candidate.path)
            if only and real not in only:
                continue
            if real in seen:
                count += 1
                continue
            for item in _look(host, candidate, real, named=place.named):
                seen.add(real)
                count += 1
                yield item
    if not count and place.named:
        is_file = stat.S_ISREG(mode)
        yield _trouble(path, NotATranscript() if is_file else NoTranscripts())


def _closed_folders(path: Path) -> Iterator[Trouble]:
    """Yield the folders below `path` that cannot be entered, which a host's own walk passes over in silence."""
    for folder, names, _ in os.walk(path):
        for name in names:
            below = os.path.join(folder, name)
            if not os.access(below, os.R_OK | os.X_OK) and not os.path.islink(below):
                yield _trouble(Path(below), PathUnreadable())


def _look(host: Host, candidate: Candidate, real: str, *, named: bool) -> Iterator[Item]:
    """Yield a candidate with its state (of a database each of its streams); nothing where it is not this host's."""
    path = Path(candidate.path)
    try:
        state = path.stat()
        if stat.S_ISREG(state.st_mode):
            if candidate.kind != "sidecar":
                with path.open("rb") as file:
                    head = file.read(SNIFF_BYTES)
                if head and not host.sniff(head, path):
                    # In a host's own folder a file of its kind that is something else is worth telling.
                    if not named:
                        yield _trouble(path, NotATranscript())
                    return
                if not head and named:
                    return
        elif candidate.kind != "rows":
            return
        streams = host.streams(path) if candidate.kind == "rows" else ()
    except FileNotFoundError:
        return
    except OSError as error:
        yield _trouble(path, PathUnreadable(error.strerror or ""))
        return
    except UnabridgedError as error:
        yield _trouble(path, error)
        return
    if candidate.kind == "rows":
        for stream in streams:
            number = version_number(stream.version)
            yield Found(host.name, Candidate(real, "rows", stream.name), 0, 0, number)
        return
    where = Candidate(real, candidate.kind, os.path.realpath(candidate.owner) if candidate.owner else "")
    yield Found(host.name, where, state.st_ino, state.st_size, state.st_mtime_ns)


def _trouble(path: Path, error: UnabridgedError) -> Trouble:
    return Trouble(str(path), 0, error.code, error.message)
