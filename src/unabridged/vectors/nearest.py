"""The rows of a table that are nearest to a question.

What cannot answer is filtered out first. Of many rows that are left, those with the most signs in common with the
question are found (Hamming distance), and only these are compared exactly; of few, all are. The best of them, and what
words found, are then compared token by token.
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unabridged.errors import IndexCorrupt
from unabridged.models.identity import Identity
from unabridged.models.onnxfile import Array
from unabridged.schema.ids import ProjectId
from unabridged.vectors import note, table, tokens
from unabridged.vectors.asked import Near, Nearest, Where

EXACT = 1_024  # rows that are all compared exactly: half a million numbers, some milliseconds
SHORTLIST = 5  # rows compared exactly for each span wanted: several are of one event
LEAST_LIST = 512
SAMPLE = 256  # rows that tell how like the question the text at large is: their spread to four per cent
SLICE = 1 << 13  # rows whose signs are compared at a time: they stay in the processor's cache
MOST_NAMED = 4_096  # rows of events that were asked about by name
_LEAST_SPREAD = 1e-3

Key = tuple[int, int]  # an event: the first bytes of its project's id, and its ordinal


class Question(NamedTuple):
    """A question: its row, the rows of its tokens and how much each of them weighs, (0, dimensions) for none."""

    row: Array
    tokens: Array
    weights: Array


class Reader:
    """The reader's end of one table, following what its writer commits. For one thread."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        """Read the table of a folder as vectors of an embedder."""
        self._folder = folder
        self._identity = identity
        self._stamp: tuple[int, int] = (0, 0)
        self._count = 0
        self._checked = False
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
        if found is None or found.identity != self._identity or found.format != note.FORMAT:
            raise IndexCorrupt("the vectors are of another model")
        parts = dict[str, Array]()
        for part, width in note.widths(self._identity.dimensions).items():
            kind = {note.ROWS: table.ROW, note.VECTORS: np.dtype("<f2"), note.SIGNS: np.dtype("<u8")}[part]
            shape = (found.count,) if part == note.ROWS else (found.count, width // kind.itemsize)
            parts[part] = _mapped(self._folder / part, kind, shape, found.count * width)
        if not self._checked and zlib.crc32(parts[note.ROWS].tobytes()) != found.checksum:
            raise IndexCorrupt("the vectors are not those that were written")
        self._checked = True  # what is added later is read as it was written
        size = note.token_bytes(self._identity.dimensions)
        shape = (found.tokens, size)
        parts[note.TOKENS] = _mapped(self._folder / note.TOKENS, np.dtype("<u1"), shape, found.tokens * size)
        self._parts, self._count, self._stamp = parts, found.count, stamp
        self.positions = {project: position for project, (position, _) in found.watermarks.items()}

    def nearest(
        self, question: Question, where: Where, limit: int, also: Sequence[tuple[bytes, int]] = ()
    ) -> Nearest:
        """Return the best span of each of the `limit` nearest events; equal likeness goes to the earlier row.

        `also` names further events by project and ordinal, which words found: their best spans are compared, too.
        """
        self.load()
        wanted = self._wanted(where) if self._count else np.zeros(0, np.intp)
        if not len(wanted):
            return Nearest([], self.positions, self._count)
        row = question.row
        best = self._best(row, self._shortlist(row, wanted, max(LEAST_LIST, limit * SHORTLIST)), limit)
        held = {key for key, _, _ in best}
        asked = {(table.prefix(project), ordinal) for project, ordinal in also} - held
        others = self._best(row, self._named(wanted, asked), len(asked), asked)
        at_large = self._at_large(row, wanted)
        spans = self._described(question, best + others, at_large)
        return Nearest(spans[: len(best)], self.positions, self._count, spans[len(best) :])

    def _best(
        self, row: Array, listed: Array, limit: int, only: Collection[Key] | None = None
    ) -> list[tuple[Key, int, float]]:
        """Return the nearest row of each event with its likeness, at most `limit`, the nearest first."""
        cosines = self._compared(row, listed)
        order = np.lexsort((listed, -cosines))
        rows: Any = self._parts[note.ROWS]
        numbers, likeness = listed[order], cosines[order].tolist()
        keys = zip(rows["project"][numbers].tolist(), rows["ordinal"][numbers].tolist(), strict=True)
        known = {table.prefix(project) for project in self.positions}
        found = dict[Key, tuple[Key, int, float]]()
        for at, key in enumerate(keys):
            if len(found) >= limit:
                break
            if key not in found and key[0] in known and (only is None or key in only):
                found[key] = (key, int(numbers[at]), likeness[at])
        return list(found.values())

    def _named(self, wanted: Array, events: Collection[Key]) -> Array:
        """Return the numbers of the rows of events (and of others with their ordinals), the first `MOST_NAMED`."""
        if not events:
            return np.zeros(0, np.intp)
        rows: Any = self._parts[note.ROWS]
        ordinals = np.array(sorted({ordinal for _, ordinal in events}), np.uint64)
        return wanted[np.isin(rows["ordinal"][wanted], ordinals)][:MOST_NAMED]

    def _described(
        self, question: Question, found: Sequence[tuple[Key, int, float]], at_large: tuple[float, float]
    ) -> list[Near]:
        mean, spread = at_large
        matches = self._matches(question, np.array([number for _, number, _ in found], np.intp))
        rows: Any = self._parts[note.ROWS]
        projects = {table.prefix(project): project for project in self.positions}
        spans = list[Near]()
        for ((project, ordinal), number, cosine), match in zip(found, matches, strict=True):
            start, end = int(rows["start"][number]), int(rows["end"][number])
            lead = round((cosine - mean) / spread, 4)
            spans.append(
                Near(projects[project], ordinal, start, end, round(cosine, 4), lead, round(match, 4))
            )
        return spans

    def _matches(self, question: Question, numbers: Array) -> list[float]:
        """Return how far the tokens of rows stand above those of all these rows; the first `tokens.MOST` are read."""
        rows: Any = self._parts[note.ROWS]
        counts = rows["tokens"][numbers].astype(np.int64)
        read = np.flatnonzero((counts > 0) & (np.cumsum(counts) <= tokens.MOST))
        found = np.zeros(len(numbers))
        if len(read) and len(question.tokens):
            counts = counts[read]
            firsts = rows["at"][numbers[read]].astype(np.int64)
            if (firsts < 0).any() or (firsts + counts > len(self._parts[note.TOKENS])).any():
                raise IndexCorrupt("a row names tokens that are not there")
            signs = self._parts[note.TOKENS][tokens.places(firsts, counts)]
            found[read] = tokens.leads(tokens.likeness(question.tokens, signs, counts), question.weights)
        return found.tolist()

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
        apart = np.zeros(len(wanted), np.uint16)
        whole = len(wanted) == self._count
        for start in range(0, len(wanted), SLICE):
            part = signs[start : start + SLICE] if whole else signs[wanted[start : start + SLICE]]
            counts = np.bitwise_count(part ^ words)
            for column in range(len(words)):  # a sum over so few columns takes numpy twice as long
                apart[start : start + SLICE] += counts[:, column]
        edge = np.partition(apart, most - 1)[most - 1]
        return wanted[apart <= edge]  # all that are equally far: the choice among them is not left to chance

    def _compared(self, question: Array, listed: Array) -> Array:
        vectors = self._parts[note.VECTORS]
        found: Array = vectors[listed].astype(np.float32) @ question
        if not np.isfinite(found).all():
            raise IndexCorrupt("the vectors hold what is no number")
        return found


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
