"""How soon is a turn durable, beside SQLite that commits in groups?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from unabridged.bench import figures, home, rival
from unabridged.bench.home import Home
from unabridged.bench.load import Load
from unabridged.bench.passages import CHARS, Passages
from unabridged.bench.rival import Rival
from unabridged.bench.setup import Result, Setup, conditions, passages
from unabridged.bench.transcripts import Transcripts
from unabridged.bench.wire import Connection, drive, frame, result

CLIENTS = {"one_client": 1, "eight_clients": 8}
ROUNDS = 4  # blocks of ours and of the rival take turns, so that what slows the machine slows both
SEARCHABLE_SHARE = 10  # one turn in so many is also measured until it can be found
LARGE = 1 << 20  # bytes of a large payload
LARGE_SHARE = 50  # one large payload for so many turns
LOAD_A_TURN = 100_000  # bytes imported beside each turn that is measured under an import
LOAD_LEAST, LOAD_MOST = 16 << 20, 256 << 20

NOTES = [
    "Ours also redacts, analyses and keeps a document with its place in a session; the rival inserts one row.",
    "`during_import`: the daemon imports transcripts beside; the rival's own queue has nothing else to do.",
    "`searchable`: the answer comes when a search finds the turn; the rival adds a row of FTS5 to its transaction.",
]


class Sides:
    """Both sides of a comparison, and the same texts for both."""

    def __init__(self, ours: Home, theirs: Rival, writer: Passages) -> None:
        """Begin with the first text."""
        self._ours = ours
        self._theirs = theirs
        self._writer = writer
        self._number = 0

    def texts(self, count: int) -> list[tuple[str, str]]:
        """Return (request id, text) of turns that were not used before."""
        first, self._number = self._number, self._number + count
        return [(f"turn-{n}", self._writer.window(n).text) for n in range(first, first + count)]

    def frames(
        self, texts: Sequence[tuple[str, str]], *, searchable: bool
    ) -> tuple[list[bytes], list[bytes]]:
        """Return the same turns as requests to us and to the rival."""
        ours, theirs = list[bytes](), list[bytes]()
        for request, text in texts:
            params = {"request": request, "text": text, "searchable": searchable}
            ours.append(frame("note", params))
            theirs.append(frame("put", params))
        return ours, theirs

    def compare(
        self,
        turns: int,
        clients: int,
        *,
        searchable: bool = False,
        running: Callable[[], bool] = lambda: True,
    ) -> tuple[list[float], list[float]]:
        """Return the seconds of each admission, ours and the rival's, until both are through or `running` says no."""
        ours, theirs = list[float](), list[float]()
        block = max(1, turns // ROUNDS)
        with ExitStack() as stack:
            us = [stack.enter_context(self._ours.connect()) for _ in range(clients)]
            them = [stack.enter_context(self._theirs.connect()) for _ in range(clients)]
            for _ in range(ROUNDS):
                mine, yours = self.frames(self.texts(block), searchable=searchable)
                ours += drive(us, mine, check=admitted, go_on=running)
                theirs += drive(them, yours, check=admitted, go_on=running)
        return ours, theirs


def admitted(line: bytes) -> None:
    """Raise what an answer says went wrong."""
    result(line)


def measure(setup: Setup) -> Result:
    """Measure admissions of `size` turns of one window each, by one and by eight clients, idle and during an import."""
    writer = passages(setup)
    found: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    with home.temporary(setup.keep) as place:
        place.start()
        with rival.running(place.work, place.work / "rival.db") as other:
            sides = Sides(place, other, writer)
            sides.compare(max(8, setup.size // 10), 1)  # warm
            for name, clients in CLIENTS.items():
                setup.tell(f"admitting turns: {name.replace('_', ' ')}")
                _note(found, theirs, f"durable.{name}.idle", sides.compare(setup.size, clients))
            setup.tell("admitting turns until they can be found")
            searchable = max(4, setup.size // SEARCHABLE_SHARE)
            _note(found, theirs, "searchable.one_client.idle", sides.compare(searchable, 1, searchable=True))
            setup.tell("admitting payloads of 1 MiB")
            _large(place, other, writer, max(4, setup.size // LARGE_SHARE), found, theirs)
            for name, clients in CLIENTS.items():
                setup.tell(f"admitting turns during an import: {name.replace('_', ' ')}")
                size = min(LOAD_MOST, max(LOAD_LEAST, setup.size * LOAD_A_TURN))
                with Load(place, Transcripts(writer), size) as load:
                    pair = sides.compare(setup.size, clients, running=lambda load=load: load.running)
                _note(found, theirs, f"durable.{name}.during_import", pair)
    notes = NOTES + short(found, setup.size)
    return Result(
        found, theirs, _ratio(found, theirs), conditions(setup, writer, turn_characters=CHARS), notes
    )


def short(found: dict[str, Any], wanted: int) -> list[str]:
    """Return a note for each measurement that its import did not last for."""
    return [
        f"The import ended before {name.replace('_', ' ')} was through: {when['n']} samples instead of {wanted}."
        for name, times in found.get("durable", {}).items()
        for at, when in times.items()
        if at == "during_import" and when["n"] < wanted // ROUNDS * ROUNDS
    ]


def _note(
    found: dict[str, Any], theirs: dict[str, Any], path: str, pair: tuple[list[float], list[float]]
) -> None:
    for target, seconds in zip((found, theirs), pair, strict=True):
        *parents, last = path.split(".")
        for name in parents:
            target = target.setdefault(name, {})
        target[last] = figures.latencies(seconds)


def _large(
    place: Home, other: Rival, writer: Passages, count: int, found: dict[str, Any], theirs: dict[str, Any]
) -> None:
    """Admit payloads of 1 MiB one after the other, ours and the rival's in turns."""
    mine, yours = 0.0, 0.0
    with place.connect() as us, other.connect() as them:
        for number in range(count):
            first = 10_000_000 + number * (LARGE // CHARS + 1)
            text = "".join(writer.window(first + at).text for at in range(LARGE // CHARS + 1))[:LARGE]
            params = {"request": f"large-{number}", "text": text, "searchable": False}
            mine += _timed(us, frame("note", params))
            yours += _timed(them, frame("put", params))
    size = count * LARGE / 1e6
    found["large"] = {"mb_per_second": figures.rounded(size / mine), "n": count}
    theirs["large"] = {"mb_per_second": figures.rounded(size / yours), "n": count}


def _timed(connection: Connection, data: bytes) -> float:
    started = time.perf_counter()
    line = connection.ask(data)
    seconds = time.perf_counter() - started
    admitted(line)
    return seconds


def _ratio(found: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    ratio: dict[str, Any] = {}
    for way in ("durable", "searchable"):
        ratio[way] = {
            name: {when: figures.faster(mine, theirs[way][name][when]) for when, mine in times.items()}
            for name, times in found[way].items()
        }
    rates = (found["large"]["mb_per_second"], theirs["large"]["mb_per_second"])
    ratio["large"] = {"mb_per_second": figures.over(*rates)}
    return ratio
