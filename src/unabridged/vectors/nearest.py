"""The rows of a table that are nearest to a question.

What cannot answer is filtered out first. Of many rows that are left, those with the most signs in common with the
question are found (Hamming distance), and only these are compared exactly; of few, all are.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np

from unabridged.errors import IndexCorrupt
from unabridged.models.identity import Identity
from unabridged.models.onnxfile import Array
from unabridged.schema.ids import ProjectId
from unabridged.vectors import note, table
from unabridged.vectors.asked import Near, Nearest, Where

EXACT = 1_024  # rows that are all compared exactly: half a million numbers, some milliseconds
SHORTLIST = 5  # rows compared exactly for each span wanted: several are of one event
LEAST_LIST = 512
SAMPLE = 256  # rows that tell how like the question the text at large is: their spread to four per cent
SLICE = 1 << 16  # rows whose signs are compared at a time, which bounds the memory
_LEAST_SPREAD = 1e-3


class Reader:
    """The reader's end of one table, following what its writer commits. For one thread."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        """Read the table of a folder as vectors of an embedder."""
        self._folder = folder
        self._identity = identity
        self._stamp: tuple[int, int] = (0, 0)
        self._count = 0
        self._parts = dict[str, Array]()
        self.positions = dict[ProjectId, int]()

    def load(self) -> None:
        """Look at what is committed now; raise `IndexCorrupt` or `IndexTooNew`."""
        try:
            stat = (self._folder / note.NOTE).stat()
        except OSError:
            self._count, self._stamp = 0, (0, 0)
            self.positions = {}
            return
        stamp = (stat.st_ino, stat.st_mtime_ns)
        if stamp == self._stamp:
            return
        found = note.read_note(self._folder)
        if found is None or found.identity != self._identity:
            raise IndexCorrupt("the vectors are of another model")
        parts = dict[str, Array]()
        for part, width in note.widths(self._identity.dimensions).items():
            kind = {note.ROWS: table.ROW, note.VECTORS: np.dtype("<f2"), note.SIGNS: np.dtype("<u8")}[part]
            shape = (found.count,) if part == note.ROWS else (found.count, width // kind.itemsize)
            parts[part] = _mapped(self._folder / part, kind, shape, found.count * width)
        self._parts, self._count, self._stamp = parts, found.count, stamp
        self.positions = {project: position for project, (position, _) in found.watermarks.items()}

    def nearest(self, question: Array, where: Where, limit: int) -> Nearest:
        """Return the best span of each of the `limit` nearest events; equal likeness goes to the earlier row."""
        self.load()
        if not self._count:
            return Nearest([], self.positions, 0)
        wanted = self._wanted(where)
        if not len(wanted):
            return Nearest([], self.positions, self._count)
        mean, spread = self._at_large(question, wanted)
        listed = self._shortlist(question, wanted, max(LEAST_LIST, limit * SHORTLIST))
        cosines = self._compared(question, listed)
        order = np.lexsort((listed, -cosines))
        rows: Any = self._parts[note.ROWS]
        projects = {table.prefix(project): project for project in self.positions}
        found, seen = list[Near](), set[tuple[int, int]]()
        for at in order:
            row = rows[listed[at]]
            key = (int(row["project"]), int(row["ordinal"]))
            if key in seen or key[0] not in projects:
                continue
            seen.add(key)
            cosine = float(cosines[at])
            lead = round((cosine - mean) / spread, 4)
            start, end = int(row["start"]), int(row["end"])
            found.append(Near(projects[key[0]], key[1], start, end, round(cosine, 4), lead))
            if len(found) >= limit:
                break
        return Nearest(found, self.positions, self._count)

    def _wanted(self, where: Where) -> Array:
        """Return the numbers of the rows that may answer, in order."""
        rows: Any = self._parts[note.ROWS]
        flags = rows["flags"]
        keep: Any = (flags & table.GONE) == 0
        if where.projects:
            keep &= np.isin(
                rows["project"], np.array([table.prefix(item) for item in where.projects], np.uint64)
            )
        if where.session:
            keep &= rows["session"] == np.uint64(table.prefix(where.session))
        for column in ("role", "kind", "host", "tool"):
            names: list[str] = getattr(where, f"{column}s")
            if names:
                keep &= np.isin(rows[column], np.array([table.name(item) for item in names], np.uint32))
        if where.since:
            keep &= rows["time"] >= where.since
        if where.until:
            keep &= rows["time"] < where.until
        if not where.side:
            keep &= (flags & table.SIDE) == 0
        return np.flatnonzero(keep)

    def _at_large(self, question: Array, wanted: Array) -> tuple[float, float]:
        """Return mean and spread of the likeness of evenly chosen rows."""
        chosen = wanted[:: max(1, len(wanted) // SAMPLE)]
        likeness = self._compared(question, chosen)
        return float(likeness.mean()), max(_LEAST_SPREAD, float(likeness.std()))

    def _shortlist(self, question: Array, wanted: Array, most: int) -> Array:
        if len(wanted) <= max(EXACT, most):
            return wanted
        words = table.signs_of(question[None]).view("<u8")[0]
        signs = self._parts[note.SIGNS]
        apart = np.empty(len(wanted), np.uint16)
        whole = len(wanted) == self._count
        for start in range(0, len(wanted), SLICE):
            part = signs[start : start + SLICE] if whole else signs[wanted[start : start + SLICE]]
            apart[start : start + SLICE] = np.bitwise_count(part ^ words).sum(axis=1, dtype=np.uint16)
        edge = np.partition(apart, most - 1)[most - 1]
        return wanted[apart <= edge]  # all that are equally far: the choice among them is not left to chance

    def _compared(self, question: Array, listed: Array) -> Array:
        vectors = self._parts[note.VECTORS]
        return vectors[listed].astype(np.float32) @ question


def _mapped(path: Path, kind: Any, shape: tuple[int, ...], size: int) -> Array:
    """Return a file's first bytes as an array that reads them when they are needed."""
    if not size:
        return np.zeros(shape, kind)
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise IndexCorrupt("vectors are missing", file=path.name) from error
    return np.frombuffer(data, kind).reshape(shape)
