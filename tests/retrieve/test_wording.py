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
