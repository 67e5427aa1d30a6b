"""Runs the suite of hints: every message in order, in live sessions that grow, and what each was told."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unabridged.daemon.client import Client
from unabridged.errors import UnabridgedError
from unabridged.eval import reporting, talks
from unabridged.eval.cases import Frozen, Live, Said
from unabridged.eval.living import NO_MODELS, Tell, imported, living
from unabridged.eval.reporting import Figures
from unabridged.eval.suite import Turn
from unabridged.eval.transcripts import Growing, Written

NOTHING, MARKER, EXCERPT, EITHER, ANY = "nothing", "marker", "excerpt", "either", "any"
MESSAGE_TOKENS, ACTIVE_TOKENS = 160, 640  # that one hint, and all of a live window, may have
AGO = 1_800.0  # seconds; when a live session begins
GAP = 10.0  # seconds between its turns
REPLY = "All right."
RUN = 5  # words in a row that tell a quotation from chance
MUCH = 0.6  # share of a short message's runs that is a quotation of it
_WORD = re.compile(r"\w+")
_RARE = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True)
class Told:
    """A message with what it was told. `quoted`: the archived messages whose words stand in the text."""

    said: Said
    live: Live
    outcome: str
    text: str
    tokens: int
    seconds: float
    reason: str = ""
    quoted: frozenset[str] = frozenset()
    dated: bool = False

    @property
    def right(self) -> bool:
        """Whether the outcome is the expected one, of the expected message."""
        match self.said.expect:
            case "excerpt":
                return self.outcome == EXCERPT and not self.quoted.isdisjoint(self.said.sources)
            case "either":
                return self.outcome in (NOTHING, MARKER)
            case "any":
                return True
            case expected:
                return self.outcome == expected


@dataclass(slots=True)
class Stage:
    """What a run holds: a client, where transcripts lie, the live sessions so far, and the archived words."""

    client: Client
    place: Path
    projects: Mapping[str, Written]
    texts: Mapping[str, Turn]
    days: Mapping[str, datetime]  # of each archived message
    sessions: dict[str, Growing] = field(default_factory=dict[str, Growing])
    told: dict[str, list[Told]] = field(default_factory=dict[str, "list[Told]"])
    copies: list[bool] = field(default_factory=list[bool])  # whether a fork was told what its original was


def run(suite: Frozen, tell: Tell) -> dict[str, Any]:
    """Say every message; return the report."""
    said = sum(len(live.messages) for live in suite.live)
    with living(NO_MODELS) as (client, folder):
        written = imported(client, folder, suite.conversations, tell)
        sessions = [session for one in suite.conversations for session in one.sessions]
        stage = Stage(
            client,
            folder / "transcripts",
            {one.name: place for one, place in zip(suite.conversations, written, strict=True)},
            {turn.key: turn for session in sessions for turn in session.turns},
            {
                turn.key: datetime.fromtimestamp(session.started, UTC)
                for session in sessions
                for turn in session.turns
            },
        )
        tell(f"{suite.name}: {said:,} messages")
        told = [one for live in suite.live for one in _talk(stage, live)]
        frozen = [_told_again(stage, one, stage.sessions[one.live.key]) for one in told]
    return report(suite, told, leaks(told, stage.texts.values()), frozen + stage.copies)


def _talk(stage: Stage, live: Live) -> list[Told]:
    """Hold a live session: each message is asked about, then said and answered."""
    project = stage.projects[live.project].project
    copied = stage.sessions[live.fork] if live.fork else None
    session = Growing(stage.place, project, live.key, time.time() - AGO, copied)
    stage.sessions[live.key] = session
    if live.before:
        session.say(*talks.turns(live.key, live.before), gap=GAP)
    if live.before or copied:
        _import(stage, session)
    if live.fork:
        stage.copies += [_told_again(stage, one, session) for one in stage.told[live.fork]]
    told = stage.told.setdefault(live.key, [])
    for said in live.messages:
        told.append(_asked(stage, live, said))
        turn = Turn(said.id, "user", said.say)
        session.say(turn, Turn(f"{said.id} reply", "assistant", REPLY), gap=GAP)
        _import(stage, session)
    return told


def _import(stage: Stage, session: Growing) -> None:
    stage.client.call("import", {"paths": [str(session.path)]}, on_progress=lambda _: None)


def _request(stage: Stage, live: Live, said: Said) -> dict[str, Any]:
    session = stage.sessions[live.key]
    return {
        "message": said.say,
        "session": session.name,
        "key": session.key_of(Turn(said.id, "user", said.say)),
        "host": "claude-code",
        "project": stage.projects[live.project].project,
    }


def _asked(stage: Stage, live: Live, said: Said) -> Told:
    began = time.perf_counter()
    try:
        answer = stage.client.call("hint", _request(stage, live, said))
    except UnabridgedError as error:
        return Told(said, live, error.code, "", 0, time.perf_counter() - began)
    taken = time.perf_counter() - began
    text = str(answer["text"])
    quoted = quotations(text, stage.texts) if answer["outcome"] == EXCERPT else frozenset[str]()
    dated = any(_names_day(text, stage.days[key]) for key in quoted)
    return Told(
        said, live, answer["outcome"], text, int(answer["tokens"]), taken, answer["reason"], quoted, dated
    )


def _told_again(stage: Stage, told: Told, session: Growing) -> bool:
    """Ask once more, in the session itself or in a fork: what was decided must come back byte for byte."""
    try:
        answer = stage.client.call("hint", _request(stage, told.live, told.said) | {"session": session.name})
    except UnabridgedError:
        return False
    return (answer["outcome"], answer["text"]) == (told.outcome, told.text)


def quotations(text: str, texts: Mapping[str, Turn]) -> frozenset[str]:
    """Return the messages that a text quotes: those that share the most runs of words with it, and as good as all."""
    runs = _runs(text)
    shared = dict[str, int]()
    for key, turn in texts.items():
        own = _runs(turn.spoken)
        common = len(own & runs)
        if own and (common >= RUN or common >= MUCH * len(own)):
            shared[key] = common
    most = max(shared.values(), default=0)
    return frozenset(key for key, common in shared.items() if common >= MUCH * most)


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    size = min(RUN, len(words))
    return (
        frozenset(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
        if size
        else frozenset()
    )


def _names_day(text: str, day: datetime) -> bool:
    forms = (
        f"{day:%Y-%m-%d}",
        f"{day.day} {day:%B}",
        f"{day:%B} {day.day}",
        f"{day.day} {day:%b}",
        f"{day:%b} {day.day}",
    )
    return any(form in text for form in forms)


def leaks(told: Sequence[Told], archived: Iterable[Turn]) -> dict[str, list[str]]:
    """Return the archived words of each marker that has any beside its message's and those of every marker."""
    markers = {one.said.id: one for one in told if one.outcome == MARKER}
    words = {name: set(_RARE.findall(one.text.lower())) for name, one in markers.items()}
    common = Counter(word for said in words.values() for word in said)
    frame = {word for word, times in common.items() if times > len(markers) / 2}
    known = {word for turn in archived for word in _RARE.findall(turn.spoken.lower())}
    allowed = {name: frame | set(_RARE.findall(one.said.say.lower())) for name, one in markers.items()}
    return {name: sorted(leaked) for name in markers if (leaked := (words[name] - allowed[name]) & known)}


def report(
    suite: Frozen, told: Sequence[Told], leaked: Mapping[str, Sequence[str]], frozen: Sequence[bool]
) -> dict[str, Any]:
    """Return the measures of the three outcomes, of budgets, of what is frozen, and of what a marker may say."""
    answered = {one.said.id: one for one in told}
    judged = [one for one in told if one.said.expect != ANY and _follows(one, answered)]
    excerpts = [one for one in judged if one.outcome == EXCERPT]
    negatives = [one for one in judged if one.said.expect in (NOTHING, EITHER)]
    spent = Counter[str]()
    for one in told:
        spent[one.live.key] += one.tokens
    values = {
        "useful_disclosure": [one.right for one in judged if one.said.expect == EXCERPT],
        "marker_recall": [one.right for one in judged if one.said.expect == MARKER],
        "false_positive_rate": [not one.right for one in negatives],
        "excerpts_right": [one.right for one in excerpts],
        "excerpts_dated": [one.dated for one in excerpts],
        "markers_own_words": [one.said.id not in leaked for one in told if one.outcome == MARKER],
        "within_budget": [one.tokens <= MESSAGE_TOKENS for one in told]
        + [tokens <= ACTIVE_TOKENS for tokens in spent.values()],
        "frozen": frozen,
    }
    figures = {name: Figures([float(value) for value in found]) for name, found in values.items() if found}
    return {
        "suite": suite.name,
        "n": len(told),
        **reporting.drawn(figures),
        "categories": _categories(judged),
        "statuses": reporting.counted([one.outcome for one in told]),
        "judged": len(judged),
        "milliseconds": _quantiles([1000 * one.seconds for one in told]),
        "about": suite.about,
        "digest": suite.digest,
    }


def _follows(one: Told, answered: Mapping[str, Told]) -> bool:
    """Tell whether a message can be judged: one that asks again only where the first was answered by that source."""
    return not one.said.after or answered[one.said.after].right


def _categories(judged: Sequence[Told]) -> dict[str, dict[str, float]]:
    groups = dict[str, list[bool]]()
    for one in judged:
        groups.setdefault(f"{one.said.expect}: {one.said.why}", []).append(one.right)
    return {
        name: {"n": len(group), "accuracy": reporting.percent(sum(group) / len(group))}
        for name, group in sorted(groups.items())
    }


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        f"p{part}": round(ordered[min(len(ordered) - 1, len(ordered) * part // 100)], 2) for part in (50, 95)
    }
