"""What was recalled after it was shown wins near-ties, and never puts a clear winner behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine
from tests.support.archiving import PROJECT
from unabridged.retrieve.asked import InHand, Search, Searched
from unabridged.retrieve.importance import FULL, MOST, RECALLS, worth
from unabridged.retrieve.search import search
from unabridged.schema.ids import Ordinal
from unabridged.schema.records import EVENT

TWINS = {
    "alpha": "The upload stalls after the handshake; src/net/uplink.c holds the lock of the modem.",
    "beta": "The upload stalls after the handshake; src/net/modem.c holds the lock of the driver.",
    "gamma": "The upload stalls after the handshake; the scheduler holds the lock of the watchdog.",
}
CLEAR = "Battery telemetry is lost when the charger is unplugged: battery telemetry needs a retry."
FAINT = "The charger has a green lamp, and there is a battery in it."
QUERY = "upload stalls after the handshake"


@pytest.fixture
def engine(archive: Archive, tmp_path: Path) -> Engine:
    for name, text in {**TWINS, "clear": CLEAR, "faint": FAINT}.items():
        archive.add(name, [{"id": name, "text": text, "role": "assistant"}])
    made = Engine(archive, tmp_path / "g1")
    made.index()
    return made


def place(engine: Engine, native: str) -> Ordinal:
    with engine.archive.store.snapshot() as reader:
        return next(
            item.ordinal for item in reader.scan(EVENT, (PROJECT,), limit=99) if item.native == native
        )


def found(engine: Engine, query: str, counts: dict[str, int], **options: object) -> Searched:
    used = {(PROJECT, place(engine, native)): count for native, count in counts.items()}
    context = replace(engine.archive.context(), used=used)
    return search(context, engine.finder(), Search(query, limit=20, **options))  # type: ignore[arg-type]


def natives(searched: Searched) -> list[str]:
    return [hit.event.native for hit in searched.hits]


def test_of_hits_that_are_nearly_as_good_the_one_that_was_recalled_comes_first(engine: Engine) -> None:
    for name in TWINS:
        assert natives(found(engine, QUERY, {name: 3}))[0] == name
    assert natives(found(engine, QUERY, {"alpha": 1, "gamma": 5}))[0] == "gamma"
    assert natives(found(engine, QUERY, {"alpha": 5, "gamma": 1}))[0] == "alpha"


def test_it_is_explained_and_no_score_changes(engine: Engine) -> None:
    plain = found(engine, QUERY, {})
    used = found(engine, QUERY, {"gamma": FULL}, explain=True)
    assert {hit.event.native: hit.score for hit in plain.hits} == {
        hit.event.native: hit.score for hit in used.hits
    }
    stages = [item["stages"].get("importance") for item in used.explain]
    assert stages[0] == RECALLS
    assert set(stages[1:]) == {None}


def test_a_clear_winner_is_never_passed(engine: Engine) -> None:
    assert natives(found(engine, "battery telemetry charger", {"faint": 255}))[0] == "clear"
    assert natives(found(engine, '"uplink.c" handshake', {"gamma": 255}))[0] == "alpha"


def test_what_an_asker_has_in_hand_counts_more(engine: Engine) -> None:
    hand = InHand(frozenset({"src/net/modem.c"}))
    assert natives(found(engine, QUERY, {"gamma": 255}, in_hand=hand))[0] == "beta"


def test_the_same_counts_give_the_same_order(engine: Engine) -> None:
    counts = {"gamma": 2, "beta": 2}
    orders = {tuple(natives(found(engine, QUERY, counts))) for _ in range(3)}
    assert len(orders) == 1


@given(st.integers(min_value=0, max_value=10**9))
def test_the_multiplier_is_bounded_and_grows(recalls: int) -> None:
    assert 1.0 <= worth(recalls) <= RECALLS <= MOST
    assert worth(recalls) <= worth(recalls + 1)
