"""Tables of vectors at the size of a large archive: made up, and searched beside a scan of all of them. Needs numpy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unabridged.bench import figures
from unabridged.errors import Incomplete
from unabridged.retrieve.meaning import NEAREST
from unabridged.schema.ids import ProjectId
from unabridged.vectors import table
from unabridged.vectors.asked import Where
from unabridged.vectors.nearest import Question, Reader
from unabridged.vectors.note import VECTORS, read_note

TOKENS = 32  # of each row
LOT = 10_000  # rows made up at a time


def made_up(folder: Path, count: int) -> int:
    """Add `count` rows (a multiple of `LOT`) to a table, of events that are not there; return how many it then has."""

    found = read_note(folder)
    if found is None:
        raise Incomplete("there is no table of vectors")
    made = table.Table(folder, found.identity)
    dice = np.random.default_rng(1)
    width = found.identity.dimensions
    for first in range(0, count, LOT):
        rows = np.zeros(LOT, table.ROW)
        rows["project"] = table.prefix(next(iter(found.watermarks), ProjectId(bytes(16))))
        rows["ordinal"] = np.arange(first, first + LOT) + (1 << 40)
        vectors = dice.standard_normal((LOT, width)).astype(np.float32)
        tokens = dice.standard_normal((TOKENS, width)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        made.add(rows, vectors, [tokens] * LOT)
    made.commit(found.watermarks)
    made.close()
    return made.count


def scanned(folder: Path, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how long it takes to find what is nearest to `count` questions, and how long a scan of all takes."""

    found = read_note(folder)
    if found is None:
        raise Incomplete("there is no table of vectors")
    width = found.identity.dimensions
    dice = np.random.default_rng(2)
    asked_rows = dice.standard_normal((count, width)).astype(np.float32)
    asked_rows /= np.linalg.norm(asked_rows, axis=1, keepdims=True)
    tokens = asked_rows[:8]
    weights = np.ones(len(tokens), np.float32)
    reader = Reader(folder, found.identity)

    def ours(row: Any) -> None:
        reader.nearest(Question(row, tokens, weights), Where(), NEAREST)

    whole = np.fromfile(folder / VECTORS, "<f2").reshape(-1, width).astype(np.float32)

    def theirs(row: Any) -> None:
        np.argpartition(-(whole @ row), NEAREST)[:NEAREST]

    return _timed(ours, asked_rows), _timed(theirs, asked_rows)


def _timed(call: Callable[[Any], None], rows: Sequence[Any]) -> dict[str, Any]:
    call(rows[0])
    times = list[float]()
    for row in rows:
        started = time.perf_counter()
        call(row)
        times.append(time.perf_counter() - started)
    return figures.latencies(times)
