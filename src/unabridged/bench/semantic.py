"""How much later is a search answered that asks for meaning, and how soon are the nearest of many vectors found?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
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

HITS = 10
COUNT = 200  # queries
ROWS = 100_000  # spans made up beside the real ones, so that a search looks at as many as a large archive has
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
    from unabridged.bench import tables  # noqa: PLC0415 - it needs what was just looked for

    with built(
        setup, rival=False, settings=f'[semantic]\nmodel = "{model_folder(setup.environ)}"\n'
    ) as library:
        place = library.place
        setup.tell("embedding")
        real = _embedded(place)
        place.stop()
        setup.tell(f"making {ROWS:,} rows up")
        table = generation.folder(
            Path(place.layout.index) / FOLDER, generation.current(Path(place.layout.index) / FOLDER)
        )
        bytes_of_span = tree_size(table) / max(1, real)
        rows = tables.made_up(table, ROWS)
        place.start()
        asked = queries(library.writer, library.windows, COUNT)
        found = _asked(setup, library, asked)
        found["worker_mib"] = _worker(place)
        found["bytes_a_span"] = round(bytes_of_span)
        setup.tell("scanning")
        found["nearest"], theirs = tables.scanned(table, len(asked))
        more = {"windows": library.windows, "spans": real, "rows": rows, "queries": len(asked)}
        return Result(
            found,
            {"nearest": theirs},
            {"nearest": figures.faster(found["nearest"], theirs)},
            conditions(library.setup, library.writer, **more),
            NOTES,
        )


def model_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the model that this user's searches use; raise `ModelMissing`."""
    found = config.load(environ)
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
