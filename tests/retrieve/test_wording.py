"""What passages say of the question's words, beside holding them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine

FILLER = [
    "the tide table hangs by the door",
    "who painted the boat house",
    "the mast was varnished in spring",
]


@pytest.fixture
def engine(archive: Archive, tmp_path: Path) -> Engine:
    return Engine(archive, tmp_path / "g1")


def say(engine: Engine, *texts: str) -> None:
    """Let an agent say texts, each in a conversation of its own."""
    for number, text in enumerate([*texts, *FILLER]):
        engine.archive.add(f"w{number}", [{"id": f"m{number}", "text": text, "role": "assistant"}])
    engine.index()


def test_a_passage_that_denies_what_is_asked_for_stands_behind_one_that_tells_it(engine: Engine) -> None:
    say(engine, "pump three did not leak in the night test", "pump four did leak in the long night test")
    assert engine.natives("which pump did leak in the night test")[:2] == ["m1", "m0"]


@pytest.mark.parametrize(
    "query",
    [
        "which pump did not leak in the night test",
        "what pump should we use in the night test",
        "do the pumps leak in the night test",
        "pump leak night test",
    ],
)
def test_a_denial_may_be_what_is_asked_for(engine: Engine, query: str) -> None:
    say(
        engine,
        "pump four did leak in the night test",
        "do not use pump three, it does not leak in the night test",
    )
    found = engine.search(query, explain=True)
    assert len(found.explain) >= 2
    assert all("wording" not in told["stages"] for told in found.explain)


def test_a_decision_stands_before_talk_of_the_same(engine: Engine) -> None:
    say(
        engine,
        "the berth plan of the harbour was a topic of the berth talk",
        "We decided to keep the berth plan of the harbour as it is",
    )
    found = engine.search("berth plan of the harbour", explain=True)
    assert found.hits[0].event.native == "m1"
    assert found.explain[0]["stages"]["wording"] > 0


def test_a_question_for_reasons_prefers_a_passage_that_gives_one(engine: Engine) -> None:
    say(
        engine,
        "the lock gates close at noon, and the gates close slowly",
        "the lock gates close at noon because the water is low then",
    )
    assert engine.natives("why do the lock gates close at noon")[0] == "m1"


def test_wording_never_passes_a_clear_winner(engine: Engine) -> None:
    say(
        engine,
        "the crane inspection of the north quay found rust on the hoist",
        "we decided to paint the hoist",
    )
    assert engine.natives("crane inspection north quay rust hoist")[0] == "m0"


def talk(engine: Engine, name: str, *said: tuple[str, str]) -> None:
    """Let a person and an agent speak: (role, text)."""
    rows = [
        {"id": f"{name}{number}", "text": text, "role": role, "human": role == "user"}
        for number, (role, text) in enumerate(said)
    ]
    engine.archive.add(name, rows)  # type: ignore[arg-type]
    engine.index()


def test_what_answers_a_question_stands_before_those_who_repeat_it(engine: Engine) -> None:
    talk(
        engine,
        "old",
        ("user", "why does the harbour crane stop at noon?"),
        ("assistant", "Its motor is too hot by then: the fan turns the wrong way round."),
    )
    talk(
        engine,
        "new",
        ("user", "I ask again: why does the harbour crane stop at noon? the crane stops at noon"),
    )
    talk(engine, "late", ("assistant", "I will look why the harbour crane stops at noon."))
    assert engine.natives("why does the harbour crane stop at noon")[0] == "old1"


def test_who_promises_to_look_does_not_answer(engine: Engine) -> None:
    talk(
        engine,
        "a",
        ("user", "where do we keep the keys of the boat house?"),
        ("assistant", "Should I ask the watchman where they are?"),
    )
    say(engine, "we keep the keys of the boat house behind the tide table")
    assert engine.natives("where do we keep the keys of the boat house")[:2] == ["m0", "a0"]


def test_who_asks_what_he_said_himself_finds_his_own_question(engine: Engine) -> None:
    talk(
        engine,
        "a",
        ("user", "which of my boats needs paint, the yawl or the dinghy?"),
        ("assistant", "The dinghy, for the yawl was painted last year."),
    )
    assert engine.natives("which of my boats needs paint")[0] == "a0"


def test_lines_of_a_log_stand_behind_who_tells_what_they_mean(engine: Engine) -> None:
    talk(
        engine,
        "a",
        ("user", "[WARN] lock gate pressure drops at night\n[WARN] lock gate pressure drops at night"),
    )
    say(engine, "the pressure at the lock gate drops since a seal is worn, at night mostly")
    assert engine.natives("why does the lock gate pressure drop at night")[0] == "m0"


def test_a_question_with_the_name_that_is_asked_for_stays_before_what_lacks_it(engine: Engine) -> None:
    talk(
        engine,
        "a",
        ("user", "why does tide_table.load() raise in the harbour test?"),
        ("assistant", "The file has a byte order mark, which the parser takes for a column."),
    )
    assert engine.natives("why does tide_table.load() raise in the harbour test")[0] == "a0"


def test_after_work_the_last_that_an_agent_says_is_the_answer(engine: Engine) -> None:
    talk(
        engine,
        "a",
        ("user", "find out why the harbour crane stops at noon"),
        ("assistant", "I'll read the motor's log first."),
        ("tool", "fan: -1200 rpm"),
        ("assistant", "The speed is below zero, so now the wiring plan."),
        ("tool", "L1 L3 L2"),
        ("tool", "L1 L3 L2"),
        ("assistant", "Two phases are swapped: the fan turns backwards and the motor gets too hot."),
        ("user", "thanks"),
    )
    found = engine.natives("why does the harbour crane stop at noon")
    assert found.index("a6") < found.index("a0") < found.index("a3")


def test_a_question_for_a_time_prefers_a_passage_that_tells_one(engine: Engine) -> None:
    say(engine, "the mooring of the ferry was a long talk", "the mooring of the ferry was on a Tuesday")
    assert engine.natives("when was the mooring of the ferry")[0] == "m1"


def test_what_changed_something_tells_how_it_is(engine: Engine) -> None:
    say(engine, "the ferry moors at pier four", "from now on the ferry moors at pier nine")
    assert engine.natives("at which pier does the ferry moor")[0] == "m1"


def test_what_a_log_prints_is_found_by_its_very_words(engine: Engine) -> None:
    talk(engine, "a", ("user", "[WARN] lock gate pressure drops at night"))
    say(engine, "at night the pressure drops, as every gate and lock of the harbour shows")
    assert engine.natives("lock gate pressure drops at night")[0] == "a0"
