"""What counts as before and behind an event: its own line, and no other branch."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.retrieve.conftest import Archive
from tests.support.archiving import PROJECT, ingest
from tests.support.toy_host import NoRedaction, ToyHost
from unabridged.hosts.contract import Head
from unabridged.retrieve.chronology import PAGE, Line
from unabridged.schema.ids import SessionId
from unabridged.schema.records import EVENT, Event
from unabridged.schema.scope import Level
from unabridged.store.open import open_store


def row(name: str, parent: str = "", **more: Any) -> dict[str, Any]:
    return {"id": name, "text": f"text of {name}", "parent": parent, "role": "user", **more}


def event(archive: Archive, native: str) -> Event:
    with archive.store.snapshot() as reader:
        return next(item for item in reader.scan(EVENT, (PROJECT,), limit=10_000) if item.native == native)


def before(archive: Archive, native: str, **scope: Any) -> list[str]:
    line = Line(archive.context(**scope), event(archive, native))
    return [step.event.native for step in line.before()]


def after(archive: Archive, native: str) -> list[str]:
    line = Line(archive.context(), event(archive, native))
    return [step.event.native for step in line.after()]


def test_without_parents_the_order_of_the_file_is_the_line(archive: Archive) -> None:
    assert before(archive, "a2") == ["a1", "q1"]
    assert after(archive, "a2") == ["q2", "a3"]
    assert (before(archive, "b1"), after(archive, "b1")) == ([], [])


def test_what_was_asked_anew_stands_on_a_line_of_its_own(archive: Archive) -> None:
    rows = [row("x1"), row("x2", "x1"), row("x3", "x2"), row("x4", "x3")]
    archive.add("branches", [*rows, row("y2", "x1"), row("y3", "y2"), row("x5", "x4")])
    assert before(archive, "y3") == ["y2", "x1"]
    assert after(archive, "x2") == ["x3", "x4", "x5"]
    assert after(archive, "y2") == ["y3"]
    assert before(archive, "x5") == ["x4", "x3", "x2", "x1"]
    # Both branches follow from what they have in common.
    assert after(archive, "x1") == ["x2", "x3", "x4", "y2", "y3", "x5"]


def test_blocks_of_one_row_follow_each_other(archive: Archive) -> None:
    archive.add("blocks", [row("m#0"), row("m#1"), row("m#2"), row("n", "m"), row("o", "m#1")])
    assert before(archive, "n") == ["m#2", "m#1", "m#0"]
    assert after(archive, "m#1") == ["m#2", "n", "o"]


def test_a_predecessor_that_is_not_archived_is_the_one_before_it_in_the_file(archive: Archive) -> None:
    archive.add("holes", [row("h1"), row("h2", "gone"), row("h3", "h2"), row("h4", "h9"), row("h9", "h4")])
    assert before(archive, "h4") == ["h3", "h2", "h1"]
    assert after(archive, "h1") == ["h2", "h3", "h4", "h9"]


def test_a_line_longer_than_a_page_is_read_to_both_ends(archive: Archive) -> None:
    count = 3 * PAGE + 5
    rows = [row("l0")] + [row(f"l{at}", f"l{at - 1}") for at in range(1, count)]
    archive.add("long", rows)
    assert before(archive, f"l{count - 1}") == [f"l{at}" for at in range(count - 2, -1, -1)]
    assert after(archive, "l0") == [f"l{at}" for at in range(1, count)]


@pytest.fixture
def fork(archive: Archive) -> Archive:
    archive.add("parent", [row("f1"), row("f2", "f1"), row("f3", "f2")])
    data = json.dumps(row("g1")).encode() + b"\n" + json.dumps(row("g2", "g1")).encode() + b"\n"
    head = Head("child", "", "parent", "fork", "f2")
    ingest(archive.store, ToyHost(), "/t/child.toy", data, head, NoRedaction())  # type: ignore[arg-type]
    return archive


def test_a_fork_goes_on_backwards_where_it_left_its_parent(fork: Archive) -> None:
    assert before(fork, "g2") == ["g1", "f2", "f1"]
    assert after(fork, "f2") == ["f3"]


def test_a_fork_does_not_lead_out_of_the_scope(fork: Archive) -> None:
    session = SessionId(event(fork, "g2").session)
    assert before(fork, "g2", level=Level.SESSION, project=PROJECT, session=session) == ["g1"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-2, 30), min_size=1, max_size=30), st.integers(0, 29))
def test_every_tree_has_one_way_back_and_it_is_seen_from_both_sides(parents: list[int], pick: int) -> None:
    archive = Archive(open_store("memory:", create=True))
    try:
        rows = [row(f"e{at}", f"e{parent}" if parent >= 0 else "") for at, parent in enumerate(parents)]
        archive.add("tree", rows)
        name = f"e{pick % len(parents)}"
        back = before(archive, name)
        places = [int(item[1:]) for item in back]
        assert places == sorted(places, reverse=True)
        assert all(place < pick % len(parents) for place in places)
        for item in back:
            assert name in after(archive, item)
        for item in after(archive, name):
            assert name in before(archive, item)
    finally:
        archive.store.close()
