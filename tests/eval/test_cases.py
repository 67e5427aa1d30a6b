"""The suites' own files: consistent, sane in time, and unchanged since they were written."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unabridged.errors import InvalidInput
from unabridged.eval import cases, filler, talks

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC).timestamp()
DAY = 86_400.0
# A suite is frozen when it is written: a change of a case is a new suite, whose results compare with no earlier ones.
DIGESTS = {
    "structural": "f02c8eb15b660c0e",
    "exact": "8f9034958daea506",
    "lexical": "556691b2e9e0fd73",
    "chunks": "74b845eb9111f1f9",
    "hard": "2e2b31f19e971097",
    "identifiers": "e6ec336cb401b7f9",
    "scripts": "882692e5ba397192",
    "time": "7c69bf8b3e3a98ed",
    "routing": "dff9c12b7e54d3bc",
    "hints": "6e53a5eb65a6e920",
}
LEAST = {
    "exact": 50,
    "lexical": 40,
    "structural": 36,
    "chunks": 20,
    "hard": 24,
    "identifiers": 70,
    "scripts": 40,
    "time": 24,
    "routing": 40,
}
SUITES = (*cases.NAMES, "routing")


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_is_what_it_was_when_it_was_frozen(name: str) -> None:
    assert cases.load(name, NOW).digest == DIGESTS[name]


@pytest.mark.parametrize("name", sorted(LEAST))
def test_a_suite_has_enough_cases(name: str) -> None:
    assert len(cases.load(name, NOW).cases) >= LEAST[name]


def test_every_file_belongs_to_a_suite() -> None:
    assert {path.stem for path in cases.FOLDER.glob("*.toml")} == set(SUITES)
    assert cases.FOLDER.joinpath("talks").is_dir()


@pytest.mark.parametrize("name", SUITES)
def test_nothing_was_said_in_the_future_and_every_session_goes_forward(name: str) -> None:
    sessions = [session for one in cases.load(name, NOW).conversations for session in one.sessions]
    assert [session.key for session in sessions if not NOW - 365 * DAY < session.started < NOW] == []
    assert [session.key for session in sessions if not session.turns] == []


@pytest.mark.parametrize("name", SUITES)
def test_a_result_follows_its_call(name: str) -> None:
    for conversation in cases.load(name, NOW).conversations:
        for session in conversation.sessions:
            before = [turn.role for turn in session.turns]
            assert all(before[at - 1] == "call" for at, role in enumerate(before) if role == "result"), (
                session.key
            )


@pytest.mark.parametrize("name", SUITES)
def test_a_case_is_asked_in_a_project_that_there_is(name: str) -> None:
    suite = cases.load(name, NOW)
    projects = {conversation.name for conversation in suite.conversations}
    asked = [case.project for case in suite.cases if suite.ask != "routing"] + [
        live.project for live in suite.live
    ]
    assert set(asked) <= projects


def test_an_answer_stands_in_the_message_that_is_wanted() -> None:
    suite = cases.load("chunks", NOW)
    texts = {
        turn.key: turn.spoken
        for one in suite.conversations
        for session in one.sessions
        for turn in session.turns
    }
    wrong = [
        case.id
        for case in suite.cases
        for piece in case.pieces
        for key in piece
        if case.answer not in texts[key]
    ]
    assert wrong == []
    assert (
        min(len(texts[next(iter(case.pieces[0]))]) for case in suite.cases if "|" not in case.want) > 15_000
    )


def test_the_target_of_a_hard_case_is_weeks_older_than_what_hides_it() -> None:
    suite = cases.load("hard", NOW)
    ages = {
        turn.key: (NOW - session.started) / DAY
        for one in suite.conversations
        for session in one.sessions
        for turn in session.turns
    }
    targets = {key for case in suite.cases for piece in case.pieces for key in piece}
    assert all(ages[key] > 21 for key in targets)
    assert sum(age < 1 for age in ages.values()) >= 100
    assert len(ages) >= 120


def test_the_hints_have_every_outcome_and_every_kind_of_negative() -> None:
    suite = cases.load("hints", NOW)
    said = [message for live in suite.live for message in live.messages]
    outcomes = Counter(message.expect for message in said)
    assert len(said) >= 150
    assert outcomes["excerpt"] >= 40
    assert outcomes["marker"] >= 30
    assert outcomes["nothing"] >= 120
    negatives = {message.why for message in said if message.expect == "nothing"}
    assert negatives >= {
        "current state",
        "general knowledge",
        "weak",
        "stale",
        "repeated",
        "out of scope",
        "visible",
    }
    assert [m.id for m in said if (m.expect in ("excerpt", "marker")) != bool(m.source)] == []
    known = {message.id for message in said}
    assert {message.after for message in said} <= known | {""}


def test_a_hint_is_expected_of_young_sources_only() -> None:
    suite = cases.load("hints", NOW)
    ages = {
        turn.key: (NOW - session.started) / DAY
        for one in suite.conversations
        for session in one.sessions
        for turn in session.turns
    }
    roles = {turn.key: turn.role for one in suite.conversations for s in one.sessions for turn in s.turns}
    sources = {key for live in suite.live for message in live.messages for key in message.sources}
    assert [key for key in sources if ages[key] > 30] == []
    assert [key for key in sources if roles[key] == "result" and ages[key] > 7] == []


def test_days_and_months_are_filled_in() -> None:
    asked = {case.id: case for case in cases.load("time", NOW).cases}
    assert asked["t04"].ask.endswith("on Saturday")
    assert asked["t13"].ask.endswith("in September")
    assert asked["t11"].ask.endswith("on 9 November")
    assert asked["t23"].since == "2026-11-21T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("=== nothing", "no head"),
        ("== a ago=1d", "project"),
        ("== a project=p", "when it was"),
        ("== a project=p ago=1d\nwords\n@u1 user\nx", "before the first turn"),
        ("== a project=p ago=1d\n@u1 user\n%% song 3 1", "no filler"),
    ],
)
def test_a_transcript_in_another_form_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        list(talks.read(text, datetime.fromtimestamp(NOW, UTC)))


def test_a_transcript_is_read_with_its_tools() -> None:
    head = "== a project=p ago=2d at=10:30 title=A title"
    text = f"{head}\n@c1 call Bash make all\n@r1 result error\nno\n\nrule\n@u1 user\n@app.get\n"
    [(project, session)] = talks.read(text, datetime.fromtimestamp(NOW, UTC))
    assert (project, session.date) == ("p", "A title")
    assert datetime.fromtimestamp(session.started, UTC).isoformat() == "2026-11-28T10:30:00+00:00"
    assert [(turn.key, turn.role, turn.tool, turn.given, turn.text) for turn in session.turns] == [
        ("a/c1", "call", "Bash", "make all", ""),
        ("a/r1", "result", "", "error", "no\n\nrule"),
        ("a/u1", "user", "", "", "@app.get"),
    ]


def test_a_filler_is_the_same_every_time_and_differs_by_seed() -> None:
    for kind in filler.KINDS:
        assert filler.text(kind, 30, 5) == filler.text(kind, 30, 5)
        assert filler.text(kind, 30, 5) != filler.text(kind, 30, 6)


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ('cases = [{id = "a", kind = "k", ask = "q", want = "s/u9"}]', "not there"),
        ('cases = [{id = "a", kind = "k", ask = "q"}, {id = "a", kind = "k", ask = "q"}]', "stands twice"),
        ('cases = [{id = "a", kind = "k", ask = "q", wnat = "s/u1"}]', "another form"),
        ("cases = [", "another form"),
    ],
)
def test_a_suite_whose_files_are_at_odds_is_refused(tmp_path: Path, suite: str, said: str) -> None:
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "t.txt").write_text("== s project=p ago=1d\n@u1 user\nhello\n")
    (tmp_path / "x.toml").write_text(f'about = "x"\nask = "search"\ntalks = ["t"]\n{suite}\n')
    with pytest.raises(InvalidInput, match=said):
        cases.load("x", NOW, tmp_path)
    with pytest.raises(InvalidInput, match="no suite"):
        cases.load("y", NOW, tmp_path)
