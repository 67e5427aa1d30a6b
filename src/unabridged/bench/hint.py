"""How soon is it decided what to tell beside a message, beside one query of FTS5 for the same message?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from unabridged.bench import figures, rival
from unabridged.bench.library import Library, built
from unabridged.bench.load import Load
from unabridged.bench.queries import COUNT, fts_any, queries
from unabridged.bench.rival import Rival
from unabridged.bench.setup import Result, Setup, conditions
from unabridged.bench.transcripts import Transcripts
from unabridged.bench.wire import drive, frame, result

WINDOWS = 16  # that the rival returns; ours looks at as many
RIVAL_SECONDS = 300.0  # that one of the rival's passes may take; it then has fewer samples
HOST = "claude-code"

# What a message does with the words of a query. Of the last kind nothing has to be looked for.
FORMS = {
    "asks": "What did we decide about {}?",
    "names": "Let's go on with {}.",
    "present": "Is {} running right now?",
}

NOTES = [
    (
        "A decision is made, committed durably and answered, through a Unix socket, one client; each message stands "
        "in a session of its own, so that no budget keeps it from being looked at. `replayed`: it is asked again."
    ),
    "`all` counts one message in three of each form; `present` ones need no look at the index.",
    "The rival runs one query for each message: any of its words, stop words left out, by bm25, sixteen texts.",
]


def measure(setup: Setup) -> Result:
    """Measure decisions on 300 messages of each form over `size` windows, idle and during an import."""
    with built(setup) as library, rival.running(library.place.work, library.database) as other:
        asked = queries(library.writer, library.windows, COUNT)
        found, outcomes = _ours(setup, library, asked)
        theirs: dict[str, Any] = {"idle": _theirs(setup, other, asked)}
        found["during_import"], theirs["during_import"] = _during(setup, library, other, asked)
        ratio = {"idle": figures.faster(found["idle"]["looked"], theirs["idle"])}
        ratio["during_import"] = figures.faster(found["during_import"], theirs["during_import"])
        more = {
            "windows": library.status["windows"],
            "segments": library.status["segments"],
            "messages": len(asked) * len(FORMS),
            "outcomes": outcomes,
        }
        return Result(found, theirs, ratio, conditions(library.setup, library.writer, **more), NOTES)


def messages(asked: Sequence[str], form: str) -> list[str]:
    """Return the messages of a form."""
    return [FORMS[form].format(query) for query in asked]


def ask(message: str, session: str) -> bytes:
    """Return a message as a request to us."""
    params = {"message": message, "session": session, "host": HOST, "key": "m", "scope": "all"}
    return frame("hint", params)


def _ours(setup: Setup, library: Library, asked: Sequence[str]) -> tuple[dict[str, Any], dict[str, int]]:
    outcomes, times = dict[str, int](), dict[str, list[float]]()

    def count(line: bytes) -> None:
        answer = result(line)
        name = f"{answer['outcome']}: {answer['reason']}"
        outcomes[name] = outcomes.get(name, 0) + 1

    run = f"{time.time_ns():x}"  # a kept library remembers what was decided before
    found = dict[str, Any]()
    with library.place.connect() as connection:
        drive([connection], [ask(message, f"{run}-warm-{at}") for at, message in enumerate(asked)])
        for form in FORMS:
            setup.tell(f"deciding on {len(asked)} messages ({form})")
            frames = [ask(message, f"{run}-{form}-{at}") for at, message in enumerate(messages(asked, form))]
            times[form] = drive([connection], frames, check=count)
            found[form] = figures.latencies(times[form])
            if form == "asks":
                found["replayed"] = figures.latencies(drive([connection], frames))
    found["looked"] = figures.latencies([*times["asks"], *times["names"]])
    found["all"] = figures.latencies([taken for some in times.values() for taken in some])
    return {"idle": found}, outcomes


def _theirs(setup: Setup, other: Rival, asked: Sequence[str]) -> dict[str, Any]:
    setup.tell(f"asking the rival for {2 * len(asked)} messages")
    frames = _rivals(asked)
    with other.connect() as connection:
        deadline = time.monotonic() + RIVAL_SECONDS
        drive([connection], frames[: len(asked)], go_on=lambda: time.monotonic() < deadline)
        deadline = time.monotonic() + RIVAL_SECONDS
        times = drive([connection], frames, check=_well, go_on=lambda: time.monotonic() < deadline)
    return figures.latencies(times)


def _rivals(asked: Sequence[str]) -> list[bytes]:
    """Return the rival's queries for the messages that are looked for."""
    wanted = [message for form in ("asks", "names") for message in messages(asked, form)]
    return [
        frame("search", {"match": fts_any(message, stopwords=False), "limit": WINDOWS}) for message in wanted
    ]


def _well(line: bytes) -> None:
    result(line)


def _during(
    setup: Setup, library: Library, other: Rival, asked: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ask us, then the rival, while one import runs; whoever is still asking when it ends has fewer samples."""
    setup.tell("deciding during an import")
    run = f"{time.time_ns():x}"
    mine = [ask(message, f"{run}-{at}") for at, message in enumerate(messages(asked, "asks"))]
    yours = _rivals(asked)[: len(asked)]
    with (
        Load(library.place, Transcripts(library.writer), library.load_size) as load,
        library.place.connect() as us,
        other.connect() as them,
    ):
        ours = drive([us], mine, check=_well, go_on=lambda: load.running)
        theirs = drive([them], yours, check=_well, go_on=lambda: load.running) if load.running else []
    return figures.latencies(ours), figures.latencies(theirs)
