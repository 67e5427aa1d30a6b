"""Looks for transcripts: the worker's side of an import's first step."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unabridged.daemon.messages import Find, Found, FoundSome, Trouble
from unabridged.daemon.rowfeed import version_number
from unabridged.errors import NotATranscript, NoTranscripts, PathNotFound, PathUnreadable, UnabridgedError
from unabridged.hosts.contract import Candidate, Host, InProjects

SNIFF_BYTES = 64 << 10  # bytes of a file that a host looks at
BAD_LINE = 256  # bytes of a first line that nobody knows for his own, as the host is then shown it
MAX_FIRST_LINE = 64 << 20  # bytes of a first line behind which a host still looks; longer ones are no text
BLOCK = 1 << 20  # bytes read at once to find its end
PAGE = 200  # files reported at once
UNTOLD = "the name is not UTF-8; rename the file or its folder"

Item = Found | Trouble


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file to look at: `named` by the caller, or where a host keeps its sessions."""

    path: Path
    hosts: Sequence[Host]
    named: bool


def find(request: Find, hosts: Mapping[str, Host]) -> Iterator[FoundSome]:
    """Answer a `Find` in pages, the last one marked."""
    files, troubles = list[Found](), list[Trouble]()
    for item in Census(request, hosts).items():
        if isinstance(item, Trouble):
            troubles.append(item)
        else:
            files.append(item)
        if len(files) + len(troubles) >= PAGE:
            yield FoundSome(files, troubles)
            files, troubles = [], []
    yield FoundSome(files, troubles, last=True)


class Census:
    """One look: each file is found once, by the first host that knows it for its own."""

    def __init__(self, request: Find, hosts: Mapping[str, Host]) -> None:
        """Look where the request says."""
        self._only = frozenset(request.only)
        self._stats = request.stats
        self._seen = set[str]()
        chosen = [hosts[name] for name in request.hosts if name in hosts]
        if request.paths:
            self._places = [Place(Path(path), chosen, named=True) for path in request.paths]
        else:
            home = Path(request.home)
            self._places = [
                Place(root, [host], named=False)
                for host in chosen
                for root in (
                    *host.roots(request.env, home, request.platform),
                    *_in_projects(host, request.projects),
                )
            ]

    def items(self) -> Iterator[Item]:
        """Yield what is found and what cannot be read."""
        for place in self._places:
            yield from self._of_place(place)

    def _of_place(self, place: Place) -> Iterator[Item]:
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
        folder = stat.S_ISDIR(mode)
        if not (folder or stat.S_ISREG(mode)):
            yield _trouble(path, NotATranscript("that is neither a file nor a folder"))
            return
        if not os.access(path, os.R_OK | (os.X_OK if folder else 0)):
            yield _trouble(path, PathUnreadable())
            return
        if folder and not self._only:
            yield from _closed_folders(path)
        count = 0
        for item in self._candidates(place):
            count += 1
            if item is not None:
                yield item
        if not count and place.named:
            yield _trouble(path, NoTranscripts() if folder else NotATranscript())

    def _candidates(self, place: Place) -> Iterator[Item | None]:
        """Yield what the hosts find at a place; None for a file that was found before."""
        for host in place.hosts:
            for candidate in host.find(place.path):
                real = os.path.realpath(candidate.path)
                if not _is_text(real):
                    if real not in self._seen:
                        self._seen.add(real)
                        yield _trouble(Path(real), PathUnreadable(UNTOLD))
                    continue
                if self._only and real not in self._only:
                    continue
                if real in self._seen:
                    yield None
                    continue
                for item in self._look(host, candidate, real, named=place.named):
                    self._seen.add(real)
                    yield item

    def _look(self, host: Host, candidate: Candidate, real: str, *, named: bool) -> Iterator[Item]:
        """Yield a candidate with its state (of a database each stream); nothing where it is not this host's."""
        path = Path(candidate.path)
        try:
            state = path.stat()
            if candidate.kind == "rows":
                yield from self._streams(host, path, real, named=named)
                return
            if not stat.S_ISREG(state.st_mode):
                return
            known = self._stats.get(real)
            if known is not None and known[1:] == (state.st_ino, state.st_size, state.st_mtime_ns):
                ours = known[0] == host.name
            else:
                ours = candidate.kind == "sidecar" or _is_of(host, path, named=named)
        except FileNotFoundError:
            return
        except OSError as error:
            yield _trouble(path, PathUnreadable(error.strerror or ""))
            return
        except UnabridgedError as error:
            yield _trouble(path, error)
            return
        if ours:
            owner = os.path.realpath(candidate.owner) if candidate.owner else ""
            where = Candidate(real, candidate.kind, owner)
            yield Found(host.name, where, state.st_ino, state.st_size, state.st_mtime_ns)
        elif not named and state.st_size and known is None:
            # In a host's own folder a file of its kind that is something else is worth telling.
            yield _trouble(path, NotATranscript())

    def _streams(self, host: Host, path: Path, real: str, *, named: bool) -> Iterator[Item]:
        """Yield the streams of a database, an export, or a folder that a host uses as one."""
        if path.is_file() and not _is_of(host, path, named=named):
            return
        for stream in host.streams(path):
            yield Found(host.name, Candidate(real, "rows", stream.name), 0, 0, version_number(stream.version))


def _in_projects(host: Host, roots: Sequence[str]) -> Iterator[Path]:
    """Yield where a host that keeps sessions in projects would have those of known ones."""
    if isinstance(host, InProjects):
        for root in roots:
            yield from host.in_project(Path(root))


def _is_of(host: Host, path: Path, *, named: bool) -> bool:
    """Tell whether a file is a host's, from its beginning. An empty one is, but only in the host's own folder."""
    with path.open("rb") as file:
        head = file.read(SNIFF_BYTES)
        if not head:
            return not named
        if host.sniff(head, path):
            return True
        if b"\n" in head or len(head) < SNIFF_BYTES or not skip_line(file):
            return False
        # One bad line never costs more than itself, however long it is: what stands behind it tells.
        return host.sniff(head[:BAD_LINE] + b"\n" + file.read(SNIFF_BYTES), path)


def skip_line(file: BinaryIO) -> bool:
    """Go behind the line at hand; tell whether it has an end."""
    for _ in range(MAX_FIRST_LINE // BLOCK):
        block = file.read(BLOCK)
        if not block:
            return False
        end = block.find(b"\n")
        if end >= 0:
            file.seek(end + 1 - len(block), os.SEEK_CUR)
            return True
    return False


def _closed_folders(path: Path) -> Iterator[Trouble]:
    """Yield the folders below `path` that cannot be entered, which a host's own walk passes over in silence."""
    for folder, names, _ in os.walk(path):
        for name in names:
            below = os.path.join(folder, name)
            if not os.access(below, os.R_OK | os.X_OK) and not os.path.islink(below):
                yield _trouble(Path(below), PathUnreadable())


def _is_text(path: str) -> bool:
    """Tell whether a path can be stored and sent: a file's name may be any bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _trouble(path: Path, error: UnabridgedError) -> Trouble:
    return Trouble(os.fsencode(path).decode("utf-8", "replace"), 0, error.code, error.message)
