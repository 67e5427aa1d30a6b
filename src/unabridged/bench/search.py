"""How soon is a query answered, beside FTS5 over the same windows?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from unabridged.bench import figures, rival
from unabridged.bench.library import Library, built
from unabridged.bench.load import Load
from unabridged.bench.queries import COUNT, fts_all, fts_any, queries
from unabridged.bench.rival import Rival
from unabridged.bench.setup import Result, Setup, conditions
from unabridged.bench.transcripts import Transcripts
from unabridged.bench.wire import drive, frame, result

HITS = 10
PASSES = 2  # over all queries, of ours: percentiles of 600 samples
RIVAL_SECONDS = 600.0  # that one of the rival's passes may take; it then has fewer samples
VARIANT_QUERIES = 100  # of the rival's other readings of a query
VARIANT_SECONDS = 120.0

NOTES = [
    "Both answer through a Unix socket, one client, every query once before it is measured.",
    (
        "The rival ranks windows that have any word of the query, stop words left out, by bm25, and returns ten texts; "
        "`any_word` keeps the stop words, `all_words` wants every word (fewer windows, other results)."
    ),
    "The rival's index is merged into one part first. `during_import`: our import runs beside both.",
]


def measure(setup: Setup) -> Result:
    """Measure 300 fixed queries over `size` windows, idle and during an import."""
    with built(setup) as library, rival.running(library.place.work, library.database) as other:
        asked = queries(library.writer, library.windows, COUNT)
        found, statuses = _ours(setup, library, asked)
        theirs: dict[str, Any] = {"idle": _theirs(setup, other, asked, _telling, RIVAL_SECONDS)}
        some = asked[:VARIANT_QUERIES]
        theirs["any_word"] = _theirs(setup, other, some, fts_any, VARIANT_SECONDS)
        theirs["all_words"] = _theirs(setup, other, some, fts_all, VARIANT_SECONDS)
        found["during_import"], theirs["during_import"] = _during(setup, library, other, asked)
        ratio = {when: figures.faster(found[when], theirs[when]) for when in ("idle", "during_import")}
        ratio |= {way: figures.faster(found["idle"], theirs[way]) for way in ("any_word", "all_words")}
        more = {
            "windows": library.status["windows"],
            "segments": library.status["segments"],
            "queries": len(asked),
            "answers": statuses,
            "query_words": _mean([len(query.split()) for query in asked]),
        }
        return Result(found, theirs, ratio, conditions(library.setup, library.writer, **more), NOTES)


def _telling(query: str) -> str:
    return fts_any(query, stopwords=False)


def ask(query: str) -> bytes:
    """Return a query as a request to us."""
    return frame("search", {"query": query, "limit": HITS, "scope": "all", "semantic": "never"})


def _ours(setup: Setup, library: Library, asked: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    setup.tell(f"asking {len(asked)} queries")
    statuses = dict[str, Any]()
    hits = list[int]()

    def count(line: bytes) -> None:
        answer = result(line)
        statuses[answer["status"]] = statuses.get(answer["status"], 0) + 1
        hits.append(len(answer["hits"]))

    frames = [ask(query) for query in asked]
    with library.place.connect() as connection:
        drive([connection], frames, check=count)
        times = drive([connection], frames * PASSES)
    return {"idle": figures.latencies(times)}, {**statuses, "hits": _mean(hits)}


def _theirs(
    setup: Setup, other: Rival, asked: Sequence[str], match: Callable[[str], str], seconds: float
) -> dict[str, Any]:
    setup.tell(f"asking the rival {len(asked)} queries")
    frames = [frame("search", {"match": match(query), "limit": HITS}) for query in asked]
    with other.connect() as connection:
        deadline = time.monotonic() + seconds
        drive([connection], frames, go_on=lambda: time.monotonic() < deadline)
        deadline = time.monotonic() + seconds
        times = drive([connection], frames, check=_well, go_on=lambda: time.monotonic() < deadline)
    return figures.latencies(times)


def _well(line: bytes) -> None:
    result(line)


def _during(
    setup: Setup, library: Library, other: Rival, asked: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ask us, then the rival, while one import runs; whoever is still asking when it ends has fewer samples."""
    setup.tell("asking during an import")
    mine = [ask(query) for query in asked]
    yours = [frame("search", {"match": _telling(query), "limit": HITS}) for query in asked]
    with (
        Load(library.place, Transcripts(library.writer), library.load_size) as load,
        library.place.connect() as us,
        other.connect() as them,
    ):
        ours = drive([us], mine, check=_well, go_on=lambda: load.running)
        theirs = drive([them], yours, check=_well, go_on=lambda: load.running) if load.running else []
    return figures.latencies(ours), figures.latencies(theirs)


def _mean(values: Sequence[int]) -> float:
    return figures.rounded(sum(values) / len(values)) if values else 0.0
