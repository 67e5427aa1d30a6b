"""Files inside a zip archive, read in place and anywhere, in bounded memory.

Nothing is unpacked to disk, so a member's name is never a path. What an honest archive never is, is refused: encrypted,
cut off, compressed a thousandfold, with names that lead out of it.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from bisect import bisect_right
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol, Self

from unabridged.errors import DamagedExport, EncryptedExport, PathUnreadable, UnsafeExport

MAGIC = b"PK\x03\x04"
MAX_MEMBERS = 1_000_000  # files of an archive; an export with all its pictures has some ten thousands
MAX_RATIO = 200  # bytes that one compressed byte may give; JSON of conversations gives 4 to 20, a bomb 1,000
SMALL = 64 << 20  # bytes below which no ratio is suspicious
BLOCK = 256 << 10  # bytes of compressed input taken at once
PIECE = 1 << 20  # bytes of output taken at once
SPACING = 8 << 20  # bytes between two places at which reading can begin; each takes about 45 KiB of memory
MAX_MARKS = 512  # such places of one member; past it, every other one is forgotten

_ENCRYPTED = 0x1  # bit of a member's flags
_LOCAL = struct.Struct("<26xHH")  # of a local header: the lengths of the name and of what follows it


class Member(NamedTuple):
    """A file of an archive."""

    name: str
    size: int
    packed: int
    header: int  # offset of its local header
    method: int
    crc: int
    encrypted: bool


def is_zip(head: bytes) -> bool:
    """Tell from its first bytes whether a file is an archive."""
    return head.startswith(MAGIC)


def members(path: Path) -> list[Member]:
    """Return the files of an archive; raises `DamagedExport` where it has no directory."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = archive.infolist()
    except OSError as error:
        raise PathUnreadable(error.strerror or "", path=str(path)) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise DamagedExport("the archive is cut off or damaged", path=str(path)) from error
    if any(
        info.header_offset < 0 for info in found
    ):  # the directory says that it lies behind more than there is
        raise DamagedExport("the archive's directory is damaged", path=str(path))
    if len(found) > MAX_MEMBERS:
        raise UnsafeExport("the archive has too many files", path=str(path), limit=MAX_MEMBERS)
    return [
        Member(
            info.filename,
            info.file_size,
            info.compress_size,
            info.header_offset,
            info.compress_type,
            info.CRC,
            bool(info.flag_bits & _ENCRYPTED),
        )
        for info in found
        if not info.is_dir()
    ]


def check(path: Path, member: Member) -> None:
    """Raise unless a member can be read and is what a member of an export is."""
    name = PurePosixPath(member.name.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or ":" in name.parts[0]:
        raise UnsafeExport("a file of the archive has a name that leads out of it", path=str(path))
    if member.encrypted:
        raise EncryptedExport(path=str(path))
    if member.method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnsafeExport("the archive is compressed in a way that no export is", path=str(path))
    if member.size > SMALL and member.size > member.packed * MAX_RATIO:
        raise UnsafeExport("the archive would become far larger than an export is", path=str(path))


class _Decoder(Protocol):
    """What `zlib.decompressobj` makes."""

    @property
    def eof(self) -> bool: ...

    @property
    def unconsumed_tail(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...

    def copy(self) -> Self: ...


class _Mark(NamedTuple):
    """A place at which reading can begin: offsets of output and input, and the decoder there."""

    out: int
    taken: int
    decoder: _Decoder


class Unpacked:
    """One member, as a file for reading. It remembers places, so that going back costs no more than `SPACING` bytes."""

    def __init__(self, path: Path, member: Member) -> None:
        """Read a member that `check` has let through."""
        self._path = path
        self._member = member
        self._stored = member.method == zipfile.ZIP_STORED
        self._begin = self._data_begin()
        self._marks = [_Mark(0, 0, zlib.decompressobj(-zlib.MAX_WBITS))]
        self._spacing = SPACING
        self._rewind(0)
        self._crc: int | None = (
            0  # of what was read from the beginning on; None once something was passed over
        )

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end; raises `DamagedExport` where they are not what they were."""
        try:
            data = self._next(min(size, PIECE))
        except OSError as error:
            raise PathUnreadable(error.strerror or "", path=str(self._path)) from error
        except zlib.error as error:
            raise DamagedExport("the archive is damaged", path=str(self._path)) from error
        if self._crc is not None:
            self._crc = zlib.crc32(data, self._crc)
        self._at += len(data)
        if not data and size:
            self._end()
        return data

    def seek(self, offset: int) -> None:
        """Go to a place; reading on from the last one costs nothing, anything else at most `SPACING` bytes."""
        if offset == self._at:
            return
        self._crc = 0 if offset == 0 else None
        if self._stored:
            self._at = offset
            return
        number = bisect_right(self._marks, offset, key=lambda mark: mark.out) - 1
        if not self._marks[number].out <= self._at <= offset:
            self._rewind(number)
        while self._at < offset:
            passed = len(self._next(min(PIECE, offset - self._at)))
            if not passed:
                raise DamagedExport("the archive is cut off", path=str(self._path))
            self._at += passed

    def _data_begin(self) -> int:
        with self._path.open("rb") as file:
            file.seek(self._member.header)
            header = file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(MAGIC):
            raise DamagedExport("the archive's directory is damaged", path=str(self._path))
        name, extra = _LOCAL.unpack(header)
        return self._member.header + _LOCAL.size + name + extra

    def _rewind(self, number: int) -> None:
        mark = self._marks[number]
        self._at, self._taken = mark.out, mark.taken
        self._decoder = mark.decoder.copy()
        self._tail = b""

    def _next(self, size: int) -> bytes:
        """Return the next bytes; the caller moves the place."""
        size = min(size, self._member.size - self._at)
        if size <= 0:
            return b""
        if self._stored:
            return self._raw(self._at, size)
        self._mark()
        while not self._decoder.eof:
            block = self._tail or self._raw(self._taken, BLOCK)
            if not block:
                return b""
            if not self._tail:
                self._taken += len(block)
            data = self._decoder.decompress(block, size)
            self._tail = self._decoder.unconsumed_tail
            if data:
                return data
        return b""

    def _raw(self, offset: int, size: int) -> bytes:
        size = min(size, self._member.packed - offset)
        if size <= 0:
            return b""
        with self._path.open("rb") as file:
            file.seek(self._begin + offset)
            return file.read(size)

    def _mark(self) -> None:
        """Remember this place, where the last one is far behind."""
        if self._at - self._marks[-1].out < self._spacing:
            return
        self._marks.append(_Mark(self._at, self._taken - len(self._tail), self._decoder.copy()))
        if len(self._marks) > MAX_MARKS:
            self._marks = self._marks[::2]
            self._spacing *= 2

    def _end(self) -> None:
        """At the end: all of it must have been there, and be what it was."""
        if self._at < self._member.size:
            raise DamagedExport("the archive is cut off", path=str(self._path))
        if self._crc is not None and self._crc != self._member.crc:
            raise DamagedExport("the archive is damaged", path=str(self._path))
