"""What the words of the best passages add where the question's own find little."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine

WEAK = "heron nesting season ringing numbers budget"
TEXTS = [
    "the heron sits by the weir, the sluice is open",
    "a heron at the weir again, beside the sluice",
    "the sluice at the weir was repaired by the miller",
    "the orchard has new fences",
    "the orchard was pruned",
]


@pytest.fixture
def engine(archive: Archive, tmp_path: Path) -> Engine:
    made = Engine(archive, tmp_path / "g1")
    for number, text in enumerate(TEXTS):
        archive.add(f"b{number}", [{"id": f"m{number}", "text": text, "role": "assistant"}])
    # Words that the best passages do not have are no less seldom than theirs, or all would be common.
    for number in range(40):
        archive.add(f"f{number}", [{"id": f"f{number}", "text": f"row {number} of the ledger was copied"}])
    made.index()
    return made


def test_weak_evidence_adds_passages_that_speak_of_the_same(engine: Engine) -> None:
    found = engine.search(WEAK, explain=True)
    natives = [hit.event.native for hit in found.hits]
    assert set(natives[:2]) == {"m0", "m1"}
    assert natives[2:] == ["m2"]
    assert found.hits[2].match == ["feedback"]
    assert found.hits[2].band == "low"
    assert set(found.account["feedback"]) == {"sluice", "weir"}
    assert found.explain[2]["stages"]["feedback"] > 0


def test_where_a_passage_holds_half_of_the_question_nothing_is_added(engine: Engine) -> None:
    found = engine.search("heron weir")
    assert found.hits
    assert "feedback" not in found.account
    assert all("feedback" not in hit.match for hit in found.hits)


@pytest.mark.parametrize(
    "query", ["heron DEC-9054 TS-77120 bird_ring_count", '"the heron" nesting season ringing']
)
def test_who_looks_for_a_name_or_a_phrase_gets_nothing_else(engine: Engine, query: str) -> None:
    assert "feedback" not in engine.search(query).account


def test_what_feedback_adds_comes_on_one_page(engine: Engine) -> None:
    first = engine.search(WEAK, limit=2)
    second = engine.search(WEAK, limit=2, cursor=first.next)
    assert [hit.event.native for hit in second.hits] == ["m2"]
    assert second.next == ""


def test_equal_states_give_equal_additions(engine: Engine) -> None:
    one, other = (engine.search(WEAK, explain=True) for _ in range(2))
    assert one.explain == other.explain
    assert one.account == other.account
