"""How much memory do our processes hold over so many windows?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from unabridged.bench import figures, processes
from unabridged.bench.library import built
from unabridged.bench.queries import COUNT, queries
from unabridged.bench.search import ask
from unabridged.bench.setup import Result, Setup, conditions
from unabridged.bench.wire import drive
from unabridged.errors import Unsupported

REST_SECONDS = 3.0  # after work, before memory is read
PASSES = 2  # over all queries

NOTES = [
    "Private memory: pages that no other process has (Private_Clean and Private_Dirty).",
    "`mapped`: resident pages of files, which the system takes back when it needs them.",
    "`after_build`: the daemon that imported everything; it is then started anew (`started`).",
    "`after_search`: after two passes over 300 queries.",
]


def measure(setup: Setup) -> Result:
    """Read the private memory of every process of ours over `size` windows."""
    if not processes.available():
        raise Unsupported("this system does not tell the private memory of processes", wanted="smaps_rollup")
    with built(setup, rival=False) as library:
        place = library.place
        found = {"after_build": _held(place.pids())}
        setup.tell("starting the daemon anew")
        place.stop()
        place.start()
        place.call("ping")
        time.sleep(REST_SECONDS)
        found["started"] = _held(place.pids())
        setup.tell("searching")
        frames = [ask(query) for query in queries(library.writer, library.windows, COUNT)]
        with place.connect() as connection:
            drive([connection], frames * PASSES)
        time.sleep(REST_SECONDS)
        found["after_search"] = _held(place.pids())
        more = {"windows": library.status["windows"], "segments": library.status["segments"]}
        return Result(found, {}, {}, conditions(library.setup, library.writer, **more), NOTES)


def _held(pids: list[int]) -> dict[str, Any]:
    held: Mapping[str, int] = processes.held(pids)
    sizes = {f"{name}_mib": figures.rounded(held[name] / 2**20) for name in ("private", "mapped", "resident")}
    return {**sizes, "processes": held["processes"]}
