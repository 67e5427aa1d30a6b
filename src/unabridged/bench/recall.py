"""How soon is an exact passage back, beside SQLite's fetch of the same text by key?"""

from __future__ import annotations

import random
from typing import Any

from unabridged.bench import figures, rival
from unabridged.bench.library import Library, built
from unabridged.bench.load import Load
from unabridged.bench.passages import CHARS
from unabridged.bench.queries import COUNT, queries
from unabridged.bench.search import ask
from unabridged.bench.setup import Result, Setup, conditions
from unabridged.bench.transcripts import Transcripts
from unabridged.bench.wire import Connection, drive, frame, result
from unabridged.errors import Incomplete

PLACES = 300
WINDOWS = 3
TOKENS = 8_000  # three windows fit, the whole turn does not
PASSES = 4
LEAST_CHARS = int(2.5 * CHARS)  # of a passage that counts as three windows

NOTES = [
    "Ours checks the locator's signature and scope and reads the passage out of the kept transcript.",
    "The rival returns three texts of a table.",
    "Both answer through a Unix socket, one client, every place once before it is measured.",
]


def measure(setup: Setup) -> Result:
    """Measure recalls of three windows around hits over `size` windows, idle and during an import."""
    with built(setup) as library, rival.running(library.place.work, library.database) as other:
        setup.tell("looking for places to recall")
        with library.place.connect() as connection:
            targets = _targets(library, connection)
        mine = [_recall(target) for target in targets]
        rng = random.Random(setup.seed)
        firsts = [rng.randrange(1, max(2, library.windows - WINDOWS)) for _ in mine]
        yours = [frame("fetch", {"first": first, "count": WINDOWS}) for first in firsts]
        found: dict[str, Any] = {}
        theirs: dict[str, Any] = {}
        with library.place.connect() as us, other.connect() as them:
            setup.tell(f"recalling {len(mine)} passages")
            drive([them], yours)
            found["idle"] = figures.latencies(drive([us], mine * PASSES, check=_whole))
            theirs["idle"] = figures.latencies(drive([them], yours * PASSES))
            setup.tell("recalling during an import")
            with Load(library.place, Transcripts(library.writer), library.load_size) as load:
                ours = drive([us], mine * PASSES, check=_whole, go_on=lambda: load.running)
                they = drive([them], yours * PASSES, go_on=lambda: load.running) if load.running else []
            found["during_import"] = figures.latencies(ours)
            theirs["during_import"] = figures.latencies(they)
        ratio = {when: figures.faster(found[when], theirs[when]) for when in found}
        more = {"windows": library.status["windows"], "places": len(mine)}
        return Result(found, theirs, ratio, conditions(library.setup, library.writer, **more), NOTES)


def _targets(library: Library, connection: Connection) -> list[str]:
    """Return locators of hits with a window on either side in their turn, and touch each once."""
    seen = dict[str, None]()
    for query in queries(library.writer, library.windows, COUNT):
        for hit in result(connection.ask(ask(query)))["hits"]:
            seen[hit["locator"]] = None
    kept = list[str]()
    for locator in seen:
        if len(result(connection.ask(_recall(locator)))["text"]) >= LEAST_CHARS:
            kept.append(locator)
        if len(kept) == PLACES:
            break
    if not kept:
        raise Incomplete("no hit has a window on either side", hits=len(seen))
    return kept


def _recall(target: str) -> bytes:
    return frame(
        "recall", {"target": target, "neighbors": WINDOWS // 2, "max_tokens": TOKENS, "scope": "all"}
    )


def _whole(line: bytes) -> None:
    """Raise unless an answer holds three windows."""
    answer = result(line)
    if answer["status"] != "resolved" or len(answer["text"]) < LEAST_CHARS:
        raise Incomplete("a recall gave less than it gave before", status=answer["status"])
