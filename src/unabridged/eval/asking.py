"""Asks a suite's questions of a real daemon on a home of its own, and of the floor."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unabridged.daemon import paths
from unabridged.daemon.client import Client
from unabridged.errors import ModelError
from unabridged.eval import metrics
from unabridged.eval.floor import Floor
from unabridged.eval.suite import Conversation, Question, Suite
from unabridged.eval.transcripts import Written

HITS = 20  # asked for; every measure looks at the first of them
LOOK_SECONDS, TELL_SECONDS = 0.25, 10.0  # between two looks at the vectors, and between two words about them
SECONDS = 60.0  # that one question may take
Tell = Callable[[str], None]
Ranked = dict[str, list[str]]  # measure ("turn", "message", "session") → keys, best first


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with both rankings."""

    question: Question
    ours: Ranked
    floor: Ranked
    status: str


def ask(suite: Suite, tell: Tell, *, floor: bool, semantic: str = "never", settings: str = "") -> list[Asked]:
    """Import every conversation into a project of its own, then ask with a search's own defaults.

    `settings` is the configuration of the home that is made for it; `semantic` says when meaning is used.
    """
    folder = Path(tempfile.mkdtemp(prefix="una-eval-")).resolve()
    layout = paths.layout({paths.HOME_VARIABLE: str(folder / "home")})
    try:
        (folder / "home").mkdir(mode=0o700)
        (folder / "home" / "config.toml").write_text(settings, encoding="utf-8")
        with Client(layout, name="una eval", scope="all") as client:
            try:
                written = _imported(client, folder, suite, tell)
                if semantic != "never":
                    _embedded(client, tell)
                return [
                    asked
                    for number, conversation in enumerate(suite.conversations)
                    for asked in _ask_of(client, conversation, written[number], semantic, floor=floor)
                ]
            finally:
                client.call("shutdown", {"reason": "the evaluation is over"})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _imported(client: Client, folder: Path, suite: Suite, tell: Tell) -> list[Written]:
    written = [Written(folder, conversation) for conversation in suite.conversations]
    files = [str(path) for one in written for path in one.files]
    tell(f"importing {len(files):,} sessions")
    client.call("import", {"paths": files}, on_progress=lambda _: None)
    tell(f"asking {suite.questions:,} questions")
    return written


def _embedded(client: Client, tell: Tell) -> None:
    """Wait until every text has its vectors; raise `ModelError` when they cannot be made."""
    told = 0.0
    while True:
        found = client.call("status", {})["index"]["semantic"]
        if found["state"] == "failed":
            raise ModelError("the texts cannot be embedded", why=found["error"])
        if found["state"] in ("full", "current") and not found["behind"]:
            return
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            tell(f"embedding: {found.get('spans', 0):,} spans")
        time.sleep(LOOK_SECONDS)


def _ask_of(
    client: Client, conversation: Conversation, written: Written, semantic: str, *, floor: bool
) -> list[Asked]:
    turns = [(turn.key, turn.text) for session in conversation.sessions for turn in session.turns]
    wholes = [
        (session.key, f"{session.date} " + " ".join(turn.text for turn in session.turns))
        for session in conversation.sessions
    ]
    by_turn, by_session = (Floor(turns), Floor(wholes)) if floor else (None, None)
    found = list[Asked]()
    for question in conversation.questions:
        request = {"query": question.text, "limit": HITS, "project": written.project, "scope": "project"}
        request["semantic"] = semantic
        answer = client.call("search", request, timeout=SECONDS)
        theirs: Ranked = {}
        if by_turn is not None and by_session is not None:
            theirs["turn"] = theirs["message"] = by_turn.top(question.text, HITS)
            theirs["session"] = by_session.top(question.text, HITS)
        found.append(Asked(question, _ranked(answer["hits"], written), theirs, str(answer["status"])))
    for table in (by_turn, by_session):
        if table is not None:
            table.close()
    return found


def _ranked(hits: Sequence[dict[str, Any]], written: Written) -> Ranked:
    """Return the turns of the hits in order, and at each hit's place the session that it is of."""
    turns = [key for hit in hits for source in hit["source_keys"] if (key := written.turn_of(source))]
    sessions = [written.session_of(hit["host_session"]) for hit in hits]
    return {"turn": turns, "message": turns, "session": sessions}


def report(suite: Suite, asked: Sequence[Asked]) -> dict[str, Any]:
    """Return what `una eval NAME --json` prints: percentages, with intervals, per category, beside the floor."""
    figures, intervals, floors, gains = {}, {}, {}, {}
    for measure, k in suite.measures:
        name = f"{measure}_recall@{k}"
        ours = _scores(asked, measure, k, ours=True)
        figures[name], intervals[name] = _percent(metrics.mean(ours)), _bounds(metrics.interval(ours))
        if asked[0].floor:
            theirs = _scores(asked, measure, k, ours=False)
            gain, bounds = metrics.difference(ours, theirs)
            floors[name] = _percent(metrics.mean(theirs))
            gains[name] = {"difference": _percent(gain), "interval": _bounds(bounds)}
    main = suite.measures[-1][0]
    ranked = [(_dense(one.ours[main]), _wanted(one.question, main)) for one in asked]
    ranks = [metrics.reciprocal_rank(keys, wanted) for keys, wanted in ranked]
    gained = [metrics.ndcg(keys, wanted, 10) for keys, wanted in ranked]
    for label, values in ((f"{main}_mrr", ranks), (f"{main}_ndcg@10", gained)):
        figures[label], intervals[label] = _percent(metrics.mean(values)), _bounds(metrics.interval(values))
    return {
        "suite": suite.name,
        "n": len(asked),
        "metrics": figures,
        "intervals": intervals,
        "floor": floors,
        "gain": gains,
        "categories": _categories(suite, asked),
        "statuses": _counted([one.status for one in asked]),
    }


def _scores(asked: Sequence[Asked], measure: str, k: int, *, ours: bool) -> list[float]:
    return [
        metrics.recall((one.ours if ours else one.floor)[measure], _wanted(one.question, measure), k)
        for one in asked
        if _wanted(one.question, measure)
    ]


def _wanted(question: Question, measure: str) -> frozenset[str]:
    return question.sessions if measure == "session" else question.turns


def _dense(ranked: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ranked))


def _categories(suite: Suite, asked: Sequence[Asked]) -> dict[str, dict[str, float]]:
    groups = dict[str, list[Asked]]()
    for one in asked:
        groups.setdefault(one.question.category or "-", []).append(one)
    return {
        name: {"n": len(group)}
        | {
            f"{measure}_recall@{k}": _percent(metrics.mean(scores))
            for measure, k in suite.measures
            if (scores := _scores(group, measure, k, ours=True))
        }
        for name, group in sorted(groups.items())
    }


def _counted(names: Sequence[str]) -> dict[str, int]:
    return {name: list(names).count(name) for name in sorted(set(names))}


def _percent(share: float) -> float:
    return round(100 * share, 2)


def _bounds(bounds: tuple[float, float]) -> list[float]:
    return [_percent(bounds[0]), _percent(bounds[1])]
