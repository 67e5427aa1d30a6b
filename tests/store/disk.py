"""A disk that forgets: what a folder may hold after the power fails, from the system calls that were made on it.

`record` runs a program under strace. `Disk` replays its calls up to some moment, then says what may be left: everything
that was synced; of what was not, any part, in any order, each write whole, torn or absent. Names in folders come and go
in the order that they were changed (file systems keep a journal of those), up to any moment after the last sync of
their folder.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "open,openat,creat,close,dup,dup2,dup3,fcntl,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,rename,renameat,"
    "renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,truncate,ftruncate,link,linkat,symlink,symlinkat"
)
LONGEST_WRITE = 1 << 26  # bytes of a string that strace prints whole
SECTOR = 512  # bytes that a disk writes whole or not at all

_LINE = re.compile(r"^(\d+) +(.*)$")
_RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
_CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+|\?)(?: .*)?$")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')


@dataclass(frozen=True, slots=True)
class Call:
    """One finished system call; `began` and `ended` are places in one order of all events."""

    name: str
    arguments: str
    result: int
    began: int
    ended: int

    def strings(self) -> list[bytes]:
        """Return the strings among its arguments."""
        found = list[bytes]()
        for text, cut in _STRING.findall(self.arguments):
            assert not cut, "strace cut a string"
            found.append(bytes.fromhex(text.replace("\\x", "")))
        return found

    def numbers(self) -> list[int]:
        """Return the numbers among its arguments, strings left out."""
        plain = _STRING.sub("", self.arguments)
        return [int(word) for word in re.findall(r"(?:^|[ ,(])(-?\d+)(?=[,) ]|$)", plain)]


def record(command: list[str], trace: Path, timeout: float) -> list[Call]:
    """Run a command under strace; return its calls in the order in which they ended."""
    strace = [
        "strace",
        "-f",
        "-qq",
        "-xx",
        "-s",
        str(LONGEST_WRITE),
        "-e",
        f"trace={CALLS}",
        "-e",
        "signal=none",
    ]
    command = [*strace, "-o", str(trace), *command]
    subprocess.run(command, check=True, timeout=timeout, stdout=subprocess.DEVNULL)
    return list(_calls(trace))


def _calls(trace: Path) -> Iterator[Call]:
    unfinished: dict[str, tuple[int, str]] = {}
    with trace.open(encoding="ascii") as lines:
        for at, line in enumerate(lines):
            match = _LINE.match(line.rstrip("\n"))
            if match is None:
                continue
            thread, text = match.groups()
            began = at
            if text.endswith("<unfinished ...>"):
                unfinished[thread] = (at, text.removesuffix("<unfinished ...>").rstrip())
                continue
            resumed = _RESUMED.match(text)
            if resumed is not None:
                began, start = unfinished.pop(thread)
                text = start + resumed[2]
            call = _CALL.match(text)
            if call is not None and call[3] != "?" and int(call[3]) >= 0:
                yield Call(call[1], call[2], int(call[3]), began, at)


@dataclass(slots=True)
class Change:
    """A change of a file's bytes that was not synced: bytes at an offset, or (None) the end of the file there."""

    at: int
    data: bytes | None
    ended: int  # when, in the order of events


@dataclass(slots=True)
class File:
    """A file: the bytes that are on the disk for certain, and the changes that may be."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Change] = field(default_factory=list)
    size: int = 0  # as the program sees it

    def sync(self, began: int) -> None:
        """Make durable what was changed before a sync began."""
        for change in self.pending:
            if change.ended < began:
                _apply(self.durable, change.at, change.data)
        self.pending = [change for change in self.pending if change.ended >= began]

    def left(self, chosen: random.Random) -> bytes:
        """Return bytes that may be left: mostly one of all, nothing, a beginning, or any part of what is pending."""
        found, manner = bytearray(self.durable), chosen.randrange(4)
        whole = chosen.randint(0, len(self.pending))
        for number, change in enumerate(self.pending):
            keep = (True, False, number < whole, chosen.random() < 0.5)[manner]
            data = change.data
            if not keep and not (manner == 2 and number == whole):
                continue
            if data is not None and manner >= 2 and chosen.random() < 0.5:
                data = data[: chosen.randrange(len(data) // SECTOR + 1) * SECTOR]
            _apply(found, change.at, data)
        return bytes(found)


def _apply(content: bytearray, at: int, data: bytes | None) -> None:
    if data is None:
        del content[at:]
        content.extend(bytes(at - len(content)))
    elif data:
        content.extend(bytes(max(0, at - len(content))))
        content[at : at + len(data)] = data


@dataclass(slots=True)
class Open:
    """An open file or folder."""

    path: str
    file: File | None  # None: a folder
    offset: int = 0
    append: bool = False


Names = dict[str, File | None]  # path -> file, or None for a folder


class Disk:
    """The files below one folder as a program's calls change them."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.names: Names = {}
        self.handles: dict[int, Open] = {}
        # Changes of names that were not synced, each with the folder whose sync makes it durable.
        self.durable: Names = {}
        self.pending: list[
            tuple[str, list[tuple[str, File | None, bool]]]
        ] = []  # folder, (path, what, present)
        self.said = b""  # what the program wrote to its standard output

    def replay(self, call: Call) -> None:
        """Take one call in."""
        act = getattr(self, f"_{_ALIKE.get(call.name, call.name)}", None)
        if act is not None:
            act(call)

    def left(self, chosen: random.Random) -> dict[str, bytes | None]:
        """Return what may be left after the power fails now: paths below the root with bytes, or None for a folder."""
        names = dict(self.durable)
        for _, changes in self.pending[: chosen.randint(0, len(self.pending))]:
            _rename(names, changes)
        cut = len(self.root) + 1
        return {
            path[cut:]: None if what is None else what.left(chosen)
            for path, what in sorted(names.items())
            if path.startswith(f"{self.root}/")
        }

    # --- names ---------------------------------------------------------------------------------------------------

    def _inside(self, path: str) -> bool:
        return path == self.root or path.startswith(f"{self.root}/")

    def _changed(self, folder: str, *changes: tuple[str, File | None, bool]) -> None:
        _rename(self.names, changes)
        self.pending.append((folder, list(changes)))

    def _open(self, call: Call) -> None:
        path = call.strings()[-1].decode()
        if not self._inside(path):
            return
        known = self.names.get(path)
        if "O_DIRECTORY" in call.arguments or (path in self.names and known is None) or path == self.root:
            self.handles[call.result] = Open(path, None)
            return
        if known is None:
            known = File()
            self._changed(_parent(path), (path, known, True))
        elif "O_TRUNC" in call.arguments and known.size:
            known.pending.append(Change(0, None, call.ended))
            known.size = 0
        self.handles[call.result] = Open(path, known, append="O_APPEND" in call.arguments)

    def _close(self, call: Call) -> None:
        self.handles.pop(call.numbers()[0], None)

    def _dup(self, call: Call) -> None:
        handle = self.handles.get(call.numbers()[0])
        if handle is not None and (call.name != "fcntl" or "F_DUPFD" in call.arguments):
            self.handles[call.result] = handle

    def _mkdir(self, call: Call) -> None:
        path = call.strings()[-1].decode()
        if self._inside(path):
            self._changed(_parent(path), (path, None, True))

    def _unlink(self, call: Call) -> None:
        path = call.strings()[-1].decode()
        if path in self.names:
            self._changed(_parent(path), (path, None, False))

    def _rename(self, call: Call) -> None:
        old, new = (text.decode() for text in call.strings()[-2:])
        if old in self.names:
            self._changed(_parent(new), (old, None, False), (new, self.names[old], True))

    def _link(self, call: Call) -> None:
        raise AssertionError("links are not modelled")

    # --- bytes ---------------------------------------------------------------------------------------------------

    def _write(self, call: Call) -> None:
        number = call.numbers()[0]
        data = b"".join(call.strings())[: call.result]
        handle = self.handles.get(number)
        if handle is None or handle.file is None:
            if number == 1:
                self.said += data
            return
        if call.name.startswith("p"):
            self._put(handle.file, call.numbers()[-1], data, call.ended)
            return
        at = handle.file.size if handle.append else handle.offset
        self._put(handle.file, at, data, call.ended)
        handle.offset = at + len(data)

    def _put(self, file: File, at: int, data: bytes, ended: int) -> None:
        file.pending.append(Change(at, data, ended))
        file.size = max(file.size, at + len(data))

    def _ftruncate(self, call: Call) -> None:
        handle = self.handles.get(call.numbers()[0])
        if handle is not None and handle.file is not None:
            handle.file.size = call.numbers()[-1]
            handle.file.pending.append(Change(handle.file.size, None, call.ended))

    def _fsync(self, call: Call) -> None:
        handle = self.handles.get(call.numbers()[0])
        if handle is None:
            return
        if handle.file is not None:
            handle.file.sync(call.began)
            return
        # A journal is one sequence: what came before a synced change of names is durable with it.
        last = max((at for at, (folder, _) in enumerate(self.pending) if folder == handle.path), default=-1)
        for _, changes in self.pending[: last + 1]:
            _rename(self.durable, changes)
        del self.pending[: last + 1]


_ALIKE = {
    "openat": "open",
    "creat": "open",
    "dup2": "dup",
    "dup3": "dup",
    "fcntl": "dup",
    "mkdirat": "mkdir",
    "unlinkat": "unlink",
    "rmdir": "unlink",
    "renameat": "rename",
    "renameat2": "rename",
    "pwrite64": "write",
    "writev": "write",
    "pwritev": "write",
    "pwritev2": "write",
    "fdatasync": "fsync",
    "linkat": "link",
    "symlink": "link",
    "symlinkat": "link",
}


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _rename(names: Names, changes: Sequence[tuple[str, File | None, bool]]) -> None:
    for path, what, present in changes:
        if present:
            names[path] = what
        else:
            names.pop(path, None)


def restore(left: dict[str, bytes | None], folder: Path) -> None:
    """Write what is left into an absent folder."""
    folder.mkdir()
    for name, content in left.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content)
