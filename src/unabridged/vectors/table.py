"""The table of vectors on disk: four files of rows of fixed size, and a note that says how many of them count.

`rows` says which span a row is of and what it can be filtered by, `signs` holds the sign of each dimension as one bit,
`vectors` the row in half precision. `tokens` holds the signs of a span's tokens, as many as its row says. Rows are
added at the end; what stands behind the note's count was being written when the writer ended, and is cut off. A row
whose text has left search is blanked in all files. The note is replaced last, in one step. Everything here may be
deleted at any time: the follower then begins again.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from unabridged.errors import IndexCorrupt
from unabridged.models.identity import Identity
from unabridged.models.onnxfile import Array
from unabridged.schema.ids import ProjectId
from unabridged.vectors.note import (
    FORMAT,
    ROWS,
    SIGNS,
    TOKEN_BITS,
    TOKENS,
    VECTORS,
    Note,
    read_note,
    token_bytes,
    widths,
    write_note,
)

SIDE = 1  # of `flags`: a subagent's
GONE = 2  # of `flags`: the text has left search
_READ = 4 << 20  # bytes checked at a time

# Names are kept as 32 bits of their checksum: the archive judges every span again.
ROW = np.dtype(
    [
        ("project", "<u8"),  # the first bytes of its id
        ("session", "<u8"),
        ("ordinal", "<u8"),
        ("time", "<i8"),
        ("start", "<u4"),
        ("end", "<u4"),
        ("role", "<u4"),
        ("kind", "<u4"),
        ("host", "<u4"),
        ("tool", "<u4"),
        ("flags", "<u4"),
        ("tokens", "<u4"),  # how many
        ("at", "<u8"),  # the number of the first of them
    ]
)


def name(text: str) -> int:
    """Return what a row holds of a name; 0 for none."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def prefix(identifier: bytes) -> int:
    """Return what a row holds of an id."""
    return int.from_bytes(identifier[:8], "little")


def signs_of(vectors: Array) -> Array:
    """Return the signs of rows of floats as bits, in whole 64-bit words."""
    bits = np.packbits(vectors > 0, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))


class Table:
    """The writer's end of one table. For one thread of one process."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        """Open the table of an embedder, or begin one; raise `IndexCorrupt` or `IndexTooNew`.

        A table of another embedder, or one that is shorter than its note says, is `IndexCorrupt`, too.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self.identity = identity
        self._widths = widths(identity.dimensions)
        self._token_bytes = token_bytes(identity.dimensions)
        note = read_note(folder)
        self.count = note.count if note is not None else 0
        self.tokens = note.tokens if note is not None else 0
        self.watermarks = dict(note.watermarks) if note is not None else {}
        self._checksum = 0
        if note is not None:
            self._examine(note)
        sizes = self._sizes(self.count, self.tokens)
        self._files = {part: (folder / part).open("r+b" if note is not None else "w+b") for part in sizes}
        for part, size in sizes.items():
            self._files[part].truncate(size)
            self._files[part].seek(size)
        if note is None:
            self.commit({})

    def _examine(self, note: Note) -> None:
        if note.identity != self.identity or note.format != FORMAT:
            raise IndexCorrupt("the vectors are of another model", model=note.identity.model)
        for part, size in self._sizes(note.count, note.tokens).items():
            if size_of(self._folder / part) < size:
                raise IndexCorrupt("vectors are missing", file=part, count=note.count)
        self._checksum = self._sum()
        if self._checksum != note.checksum:
            raise IndexCorrupt("the vectors are not those that were written")

    def _sum(self) -> int:
        """Return the checksum of the rows that count. Vectors themselves only order hits, and are most of the bytes."""
        left, found = self.count * self._widths[ROWS], 0
        with (self._folder / ROWS).open("rb") as file:
            while left and (data := file.read(min(left, _READ))):
                found, left = zlib.crc32(data, found), left - len(data)
        return found

    @property
    def size(self) -> int:
        """Bytes that the rows take."""
        return sum(self._sizes(self.count, self.tokens).values())

    def _sizes(self, count: int, tokens: int) -> dict[str, int]:
        return {part: count * width for part, width in self._widths.items()} | {
            TOKENS: tokens * self._token_bytes
        }

    def add(self, rows: Array, vectors: Array, tokens: Sequence[Array] = ()) -> None:
        """Add rows (`ROW`) with their unit vectors (floats), and those of their tokens if there are any.

        They count from the next commit on.
        """
        if not len(rows):
            return
        rows = rows.copy()
        for at, some in enumerate(tokens):
            rows[at]["at"], rows[at]["tokens"] = self.tokens, len(some)
            self.tokens += len(some)
            if len(some):
                bits: Array = np.packbits(some[:, :TOKEN_BITS] > 0, axis=1)
                self._files[TOKENS].write(bits.tobytes())
        data = rows.tobytes()
        self._checksum = zlib.crc32(data, self._checksum)
        self._files[ROWS].write(data)
        self._files[SIGNS].write(signs_of(vectors).tobytes())
        self._files[VECTORS].write(vectors.astype("<f2").tobytes())
        self.count += len(rows)

    def blank(self, project: ProjectId, ordinals: Iterable[int]) -> int:
        """Take every trace of events out; return how many rows that were."""
        self._flush()
        wanted = np.fromiter(set(ordinals), np.uint64)
        if not self.count or not len(wanted):
            return 0
        rows = np.memmap(self._folder / ROWS, ROW, "r+", shape=(self.count,))
        hit = np.flatnonzero((rows["project"] == prefix(project)) & np.isin(rows["ordinal"], wanted))
        blank = np.zeros((), ROW)
        blank["flags"] = GONE
        for at in hit:
            first, count = int(rows[at]["at"]), int(rows[at]["tokens"])
            rows[at] = blank
            for part in (SIGNS, VECTORS):
                self._overwrite(part, int(at) * self._widths[part], self._widths[part])
            self._overwrite(TOKENS, first * self._token_bytes, count * self._token_bytes)
        rows.flush()
        del rows
        self._checksum = self._sum() if len(hit) else self._checksum
        return len(hit)

    def _overwrite(self, part: str, start: int, size: int) -> None:
        file = self._files[part]
        file.seek(start)
        file.write(bytes(size))
        file.seek(0, os.SEEK_END)

    def commit(self, watermarks: Mapping[ProjectId, tuple[int, bytes]]) -> None:
        """Make what was added durable, together with how far that goes in the log."""
        self.watermarks = dict(watermarks)
        self._flush()
        for file in self._files.values():
            os.fsync(file.fileno())
        write_note(
            self._folder,
            Note(FORMAT, self.identity, self.count, self.tokens, self._checksum, self.watermarks),
        )

    def close(self) -> None:
        """Give the files up; what is not committed is cut off later."""
        for file in self._files.values():
            file.close()

    def _flush(self) -> None:
        for file in self._files.values():
            file.flush()


def size_of(path: Path) -> int:
    """Return a file's size, 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
