"""How much later is a search answered that asks for meaning, and how soon are the nearest of many vectors found?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from unabridged.bench import figures, processes
from unabridged.bench.home import Home, tree_size
from unabridged.bench.library import Library, built
from unabridged.bench.queries import queries
from unabridged.bench.setup import Result, Setup, conditions
from unabridged.bench.wire import drive, frame, result
from unabridged.daemon import config
from unabridged.daemon.vectors import FOLDER, INSTALLED
from unabridged.errors import Incomplete, ModelError, ModelMissing
from unabridged.index import generation
from unabridged.models import extra
from unabridged.schema.ids import ProjectId

HITS = 10
COUNT = 200  # queries
ROWS = 100_000  # spans made up beside the real ones, so that a search looks at as many as a large archive has
TOKENS = 32  # of each
LOT = 10_000  # rows made up at a time
LOOK_SECONDS = 0.5

NOTES = [
    "`added`: of each query, its time with `--semantic always` less its time with `never`, one behind the other.",
    (
        "`nearest`: the search for a hundred events among all spans alone, tokens too, in one process; the rival "
        "multiplies all vectors as 32-bit floats and takes the hundred best."
    ),
    "Beside the spans of the windows stand rows of random numbers, which cost a search what real ones do.",
]


def measure(setup: Setup) -> Result:
    """Measure queries over `size` windows whose spans have vectors, among `ROWS` more."""
    extra.require()
    with built(setup, rival=False, settings=f'[semantic]\nmodel = "{model_folder()}"\n') as library:
        place = library.place
        setup.tell("embedding")
        real = _embedded(place)
        place.stop()
        setup.tell(f"making {ROWS:,} rows up")
        table = generation.folder(
            Path(place.layout.index) / FOLDER, generation.current(Path(place.layout.index) / FOLDER)
        )
        bytes_of_span = tree_size(table) / max(1, real)
        rows = _made_up(table)
        place.start()
        asked = queries(library.writer, library.windows, COUNT)
        found = _asked(setup, library, asked)
        found["worker_mib"] = _worker(place)
        found["bytes_a_span"] = round(bytes_of_span)
        setup.tell("scanning")
        found["nearest"], theirs = _scanned(table, asked)
        more = {"windows": library.windows, "spans": real, "rows": rows, "queries": len(asked)}
        return Result(
            found,
            {"nearest": theirs},
            {"nearest": figures.faster(found["nearest"], theirs)},
            conditions(library.setup, library.writer, **more),
            NOTES,
        )


def model_folder() -> Path:
    """Return the folder of the model that this user's searches use; raise `ModelMissing`."""
    found = config.load(os.environ)
    folder = Path(found.text("semantic.model") or Path(found.layout.models) / INSTALLED).expanduser()
    if not folder.is_dir():
        raise ModelMissing("no sentence model is installed")
    return folder


def _embedded(place: Home) -> int:
    """Wait until all has vectors; return how many spans that are."""
    while True:
        found = place.call("status")["index"]["semantic"]
        if found["state"] == "failed":
            raise ModelError("the windows cannot be embedded", why=found["error"])
        if found["state"] == "current" and not found["behind"]:
            return int(found["spans"])
        time.sleep(LOOK_SECONDS)


def _made_up(folder: Path) -> int:
    """Add rows to a table, of events that are not there; return how many it then has."""
    import numpy as np  # noqa: PLC0415 - of the extra `semantic`

    from unabridged.vectors import table  # noqa: PLC0415 - it imports numpy
    from unabridged.vectors.note import read_note  # noqa: PLC0415 - with it

    found = read_note(folder)
    if found is None:
        raise Incomplete("there is no table of vectors")
    made = table.Table(folder, found.identity)
    dice = np.random.default_rng(1)
    width = found.identity.dimensions
    for first in range(0, ROWS, LOT):
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


def _asked(setup: Setup, library: Library, asked: Sequence[str]) -> dict[str, Any]:
    setup.tell(f"asking {len(asked)} queries")
    pairs = [_ask(query, how) for query in asked for how in ("never", "always")]
    said = dict[str, int]()

    def count(line: bytes) -> None:
        word = str(result(line)["account"].get("semantic"))
        said[word] = said.get(word, 0) + 1

    with library.place.connect() as connection:
        drive([connection], pairs)
        times = drive([connection], pairs, check=count)
    if said.get("used", 0) < len(asked):
        raise Incomplete("meaning did not take part in every search", said=said)
    words, meaning = times[::2], times[1::2]
    added = [with_it - without for without, with_it in zip(words, meaning, strict=True)]
    return {
        "added": figures.latencies(added),
        "words": figures.latencies(words),
        "meaning": figures.latencies(meaning),
    }


def _ask(query: str, how: str) -> bytes:
    return frame("search", {"query": query, "limit": HITS, "scope": "all", "semantic": how})


def _worker(place: Home) -> float:
    """Return the private memory of the process that is asked, in MiB."""
    workers = place.call("status")["index"]["semantic"]["workers"]
    return figures.rounded(processes.held(workers).get("private", 0) / (1 << 20))


def _scanned(folder: Path, asked: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    import numpy as np  # noqa: PLC0415 - of the extra `semantic`

    from unabridged.retrieve.meaning import NEAREST  # noqa: PLC0415 - beside them
    from unabridged.vectors.asked import Where  # noqa: PLC0415 - beside them
    from unabridged.vectors.nearest import Question, Reader  # noqa: PLC0415 - it imports numpy
    from unabridged.vectors.note import VECTORS, read_note  # noqa: PLC0415 - with it

    found = read_note(folder)
    if found is None:
        raise Incomplete("there is no table of vectors")
    width = found.identity.dimensions
    dice = np.random.default_rng(2)
    asked_rows = dice.standard_normal((len(asked), width)).astype(np.float32)
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
