"""What an asker adds to a question helps among near-ties, and never puts a clear winner behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine
from tests.support.archiving import PROJECT
from unabridged.retrieve.asked import InHand
from unabridged.schema.records import EVENT

# Three sessions say nearly the same, so that nothing but a favour tells them apart.
TWINS = {
    "alpha": "The upload stalls after the handshake; src/net/uplink.c holds the lock of the modem.",
    "beta": "The upload stalls after the handshake; src/net/modem.c holds the lock of the driver.",
    "gamma": "The upload stalls after the handshake; the scheduler holds the lock of the watchdog.",
}
CLEAR = "Battery telemetry is lost when the charger is unplugged: battery telemetry needs a retry."
FAINT = "The charger has a green lamp. accumulator accumulator voltage voltage cell cell gauge gauge"


@pytest.fixture
def engine(archive: Archive, tmp_path: Path) -> Engine:
    for name, text in TWINS.items():
        archive.add(name, [{"id": name, "text": text, "role": "assistant"}])
    archive.add("clear", [{"id": "clear", "text": CLEAR, "role": "assistant"}])
    archive.add("faint", [{"id": "faint", "text": FAINT, "role": "assistant"}])
    archive.add("cell", [{"id": "cell", "text": "The cell gauge drifts at night.", "role": "assistant"}])
    made = Engine(archive, tmp_path / "g1")
    made.index()
    return made


def first(engine: Engine, query: str, **options: Any) -> str:
    return engine.natives(query, **options)[0]


QUERY = "upload stalls after the handshake"


def test_files_at_hand_decide_between_hits_that_are_nearly_as_good(engine: Engine) -> None:
    for name, path in (
        ("alpha", "src/net/uplink.c"),
        ("beta", "/srv/firmware/src/net/modem.c"),
        ("beta", "modem.c"),
    ):
        assert first(engine, QUERY, in_hand=InHand(frozenset({path}))) == name
    with engine.archive.store.snapshot() as reader:
        ordinal = next(
            item.ordinal for item in reader.scan(EVENT, (PROJECT,), limit=99) if item.native == "gamma"
        )
    assert first(engine, QUERY, in_hand=InHand(events=frozenset({(PROJECT, int(ordinal))}))) == "gamma"


def test_what_is_talked_of_decides_between_them_too(engine: Engine) -> None:
    talk = "I look at the scheduler: who feeds the watchdog?"
    found = engine.search(QUERY, topic=talk).hits
    assert found[0].event.native == "gamma"
    assert "context" in found[0].match


def test_a_favour_changes_no_score_and_no_clear_winner(engine: Engine) -> None:
    plain = {hit.event.native: hit.score for hit in engine.search("battery telemetry charger", limit=20).hits}
    hand = InHand(frozenset({"lamp"}), frozenset())
    for options in ({"in_hand": hand}, {"topic": "a green lamp of an accumulator, its voltage and gauge"}):
        hits = engine.search("battery telemetry charger", limit=20, **options).hits
        assert hits[0].event.native == "clear"
        assert {hit.event.native: hit.score for hit in hits} == plain


def test_added_terms_find_more_and_do_not_pass_the_best_that_has_the_question(engine: Engine) -> None:
    words = ("accumulator", "voltage", "cell", "gauge")
    assert "cell" not in engine.natives("battery telemetry", limit=20)
    widened = engine.search("battery telemetry", limit=20, expansion=words)
    natives = [hit.event.native for hit in widened.hits]
    assert natives[0] == "clear"
    assert {"cell", "faint"} <= set(natives)
    assert widened.hits[0].band == "high"  # of the question itself nothing is missing


def test_a_question_that_finds_nothing_is_answered_by_its_added_terms(engine: Engine) -> None:
    assert engine.natives("xylophone") == []
    assert set(engine.natives("xylophone", expansion=("gauge",))[:2]) == {"cell", "faint"}


def test_a_phrase_stays_exact_whatever_is_added(engine: Engine) -> None:
    assert engine.natives('"battery telemetry needs a retry"', expansion=("gauge", "lamp")) == ["clear"]
