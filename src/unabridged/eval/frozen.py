"""Runs the project's own suites of search against a daemon, and the floor over the same texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from typing import Any

from unabridged.daemon.client import Client
from unabridged.errors import UnabridgedError
from unabridged.eval import filler, reporting
from unabridged.eval.cases import Case, Frozen
from unabridged.eval.floor import Floor
from unabridged.eval.living import NO_MODELS, Tell, embedded, imported, living
from unabridged.eval.reporting import Asked, Figures
from unabridged.eval.suite import Question, Turn
from unabridged.eval.transcripts import Written

HITS = 20  # asked for; every measure looks at the first ten of them
SECONDS = 60.0  # that one question may take
MEASURES = (("message", 1), ("message", 3), ("message", 10))
WINDOW_MEASURES = (("window", 1), ("window", 3), ("window", 10))
FLOOR_WINDOW, FLOOR_STEP = 3_600, 3_060  # characters of a row of the floor, and to the next one: 15 % overlap
ALL, NEVER = "all", "never"
ANSWERED = ("ok", "empty")

Row = tuple[str, str]  # key of a turn, text


def run(suite: Frozen, tell: Tell, *, floor: bool, semantic: str = NEVER, settings: str = NO_MODELS) -> Any:
    """Ask a suite's questions; return its report."""
    windows = suite.ask == "window"
    measures = WINDOW_MEASURES if windows else MEASURES
    with living(settings) as (client, folder), ExitStack() as stack:
        written = imported(client, folder, suite.conversations, tell)
        projects = {one.name: place for one, place in zip(suite.conversations, written, strict=True)}
        floors = {
            name: stack.enter_context(closing(Floor(rows)))
            for name, rows in (_texts(suite, windows) if floor else ())
        }
        if semantic != NEVER:
            embedded(client, tell)
        tell(f"{suite.name}: {len(suite.cases):,} questions")
        asked = [_asked(client, case, projects, floors, semantic, windows=windows) for case in suite.cases]
    report = reporting.report(suite.name, measures, asked)
    answered = Figures([float(one.status in ANSWERED) for one in asked])
    for part, values in reporting.drawn({"answered": answered}).items():
        report[part] |= values
    return report | {"about": suite.about, "digest": suite.digest}


def _texts(suite: Frozen, windows: bool) -> Iterator[tuple[str, list[Row]]]:
    """Yield (project, or "all"; the rows of its floor)."""
    whole = list[Row]()
    for conversation in suite.conversations:
        turns = [turn for session in conversation.sessions for turn in session.turns]
        rows = [row for turn in turns for row in (_windows(turn) if windows else ((turn.key, turn.spoken),))]
        whole += rows
        yield conversation.name, rows
    yield ALL, whole


def _windows(turn: Turn) -> Iterator[Row]:
    text = turn.spoken
    for start in range(0, max(1, len(text) - (FLOOR_WINDOW - FLOOR_STEP)), FLOOR_STEP):
        piece = text[start : start + FLOOR_WINDOW]
        yield f"{turn.key} {piece}", piece


def _asked(
    client: Client,
    case: Case,
    projects: Mapping[str, Written],
    floors: Mapping[str, Floor],
    semantic: str,
    *,
    windows: bool,
) -> Asked:
    query = f"{case.ask}\n{filler.text('log', case.pasted, 1)[: case.pasted]}" if case.pasted else case.ask
    pieces = {f"piece {number}": keys for number, keys in enumerate(case.pieces)}
    question = Question(query, frozenset(pieces), frozenset(), case.kind)
    measure = "window" if windows else "message"
    request: dict[str, Any] = {"query": query, "limit": HITS, "scope": case.scope, "semantic": semantic}
    if case.scope != ALL:  # a project that is named is all that is looked at
        request["project"] = projects[case.project].project
    request["filters"] = {name: value for name in ("since", "until") if (value := getattr(case, name))}
    try:
        answer = client.call("search", request, timeout=SECONDS)
    except UnabridgedError as error:
        return Asked(question, {measure: []}, {measure: []} if floors else {}, error.code)
    found = [(_turn(hit, projects), hit) for hit in answer["hits"]]
    ours = [
        _name(key, pieces, rank, _text(client, hit, request) if windows else None, case)
        for rank, (key, hit) in enumerate(found)
    ]
    theirs = dict[str, list[str]]()
    if floors:
        table = floors[ALL if case.scope == ALL else case.project]
        rows = [row.partition(" ") for row in table.top(query, HITS)]
        theirs[measure] = [
            _name(key, pieces, rank, text if windows else None, case)
            for rank, (key, _, text) in enumerate(rows)
        ]
    return Asked(question, {measure: list(dict.fromkeys(ours))}, theirs, str(answer["status"]))


def _turn(hit: Mapping[str, Any], projects: Mapping[str, Written]) -> str:
    names = (written.turn_of(key) for key in hit["source_keys"] for written in projects.values())
    return next((name for name in names if name), "")


def _text(client: Client, hit: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    place = {name: request[name] for name in ("project", "scope") if name in request}
    return client.call("recall", {"target": hit["locator"]} | place)["text"]


def _name(key: str, pieces: Mapping[str, frozenset[str]], rank: int, text: str | None, case: Case) -> str:
    """Return the piece of evidence that a hit is, else what it is; a window counts when it holds the answer."""
    if text is not None and case.answer not in text:
        return f"window {rank}"
    return next((name for name, keys in pieces.items() if key in keys), key)
