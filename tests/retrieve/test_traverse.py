"""Pages of a conversation: in order, in both directions, to both ends, nothing twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.retrieve.conftest import Archive
from tests.retrieve.test_chronology import row
from tests.support.archiving import NOW, PROJECT, ingest
from tests.support.toy_host import NoRedaction, ToyHost
from unabridged.archive.forget import plan_retire
from unabridged.archive.resolve import Resolver
from unabridged.errors import InvalidCursor, InvalidInput, LimitExceeded
from unabridged.hosts.contract import Head
from unabridged.retrieve.evidence import HEAD_TOKENS
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.traverse import Traverse, Traversed, traverse
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import DOCUMENT, EVENT
from unabridged.schema.scope import Level

COUNT = 40


@pytest.fixture
def talk(archive: Archive) -> Archive:
    roles = ("user", "assistant", "tool")
    rows = [
        row(
            f"s{at}", f"s{at - 1}" if at else "", role=roles[at % 3], text=f"step {at} " + "lorem " * (at % 7)
        )
        for at in range(COUNT)
    ]
    archive.add("talk", [*rows, row("aside", "s3"), {"id": "empty", "text": "", "parent": "s39"}])
    return archive


def page(archive: Archive, target: str, **options: Any) -> Traversed:
    return traverse(archive.context(), Traverse(target, **options))


def natives(found: Traversed) -> list[str]:
    return [item.event.native for item in found.steps]


def test_a_page_is_the_place_with_its_neighbours_in_order(talk: Archive) -> None:
    found = page(talk, "toy:talk:s20", before=2, after=3)
    assert natives(found) == ["s18", "s19", "s20", "s21", "s22", "s23"]
    assert [item.piece.distance for item in found.steps] == [-2, -1, 0, 1, 2, 3]
    assert found.status == "resolved"
    assert found.before
    assert found.next


def test_an_end_has_no_cursor_and_another_branch_is_not_behind_it(talk: Archive) -> None:
    found = page(talk, "toy:talk:s38", before=0, after=9)
    assert natives(found) == ["s38", "s39"]
    assert found.next == ""
    first = page(talk, "toy:talk:s0", before=5, after=0)
    assert natives(first) == ["s0"]
    assert first.before == ""
    assert natives(page(talk, "toy:talk:aside", before=2, after=9)) == ["s2", "s3", "aside"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, COUNT - 1), st.integers(0, 9), st.integers(0, 9), st.integers(150, 3_000))
def test_pages_to_both_sides_are_the_whole_line_once(
    talk: Archive, at: int, before: int, after: int, budget: int
) -> None:
    options = {"before": before, "after": max(after, 1), "max_tokens": budget}
    first = page(talk, f"toy:talk:s{at}", **options)
    whole = natives(first)
    cursor = first.next
    while cursor:
        found = page(talk, f"toy:talk:s{at}", cursor=cursor, **options)
        assert found.steps or not found.next
        whole += natives(found)
        cursor = found.next
    cursor = first.before
    while cursor:
        found = page(talk, f"toy:talk:s{at}", cursor=cursor, **options)
        whole = natives(found) + whole
        cursor = found.before
    assert [name for name in whole if name != "aside"] == [f"s{at}" for at in range(COUNT)]
    assert len(whole) == len(set(whole))


def test_a_page_leads_back_to_the_one_before_it(talk: Archive) -> None:
    first = page(talk, "toy:talk:s20", before=3, after=3)
    later = page(talk, "toy:talk:s20", before=3, after=3, cursor=first.next)
    assert natives(later) == ["s24", "s25", "s26"]
    assert natives(page(talk, "toy:talk:s20", before=3, cursor=later.before)) == ["s21", "s22", "s23"]
    earlier = page(talk, "toy:talk:s20", before=3, after=3, cursor=first.before)
    assert natives(earlier) == ["s14", "s15", "s16"]
    again = page(talk, "toy:talk:s20", before=3, after=8, cursor=earlier.next)
    assert natives(again) == [f"s{at}" for at in range(17, 25)]


def test_a_fork_goes_back_into_its_parent_and_forward_again(talk: Archive) -> None:
    data = b"".join(json.dumps(item).encode() + b"\n" for item in (row("g1"), row("g2", "g1")))
    head = Head("child", "", "talk", "fork", "s5")
    ingest(talk.store, ToyHost(), "/t/child.toy", data, head, NoRedaction())  # type: ignore[arg-type]
    found = page(talk, "toy:child:g2", before=3, after=3)
    assert natives(found) == ["s4", "s5", "g1", "g2"]
    earlier = page(talk, "toy:child:g2", before=3, after=3, cursor=found.before)
    assert natives(earlier) == ["s1", "s2", "s3"]
    assert natives(page(talk, "toy:child:g2", after=9, cursor=earlier.next)) == ["s4", "s5", "g1", "g2"]


def test_only_what_is_asked_for_counts_as_a_step(talk: Archive) -> None:
    found = page(talk, "toy:talk:s20", before=2, after=2, filters=Filters(roles=frozenset({"user"})))
    assert natives(found) == ["s15", "s18", "s20", "s21", "s24"]
    more = page(talk, "toy:talk:s20", after=2, cursor=found.next, filters=Filters(roles=frozenset({"user"})))
    assert natives(more) == ["s27", "s30"]
    with pytest.raises(InvalidCursor, match="another place"):
        page(talk, "toy:talk:s20", cursor=found.next)


def test_the_budget_holds_and_what_it_leaves_out_comes_next(talk: Archive) -> None:
    found = page(talk, "toy:first-session:a2", before=2, after=2, max_tokens=400)
    assert sum(item.tokens + HEAD_TOKENS for item in found.steps) <= 400
    assert any(item.cut for item in found.steps)
    reader = Resolver(talk.store.snapshot())
    for item in found.steps:
        assert item.text.encode() == reader.event_bytes(item.event)[item.start : item.end]
    small = page(talk, "toy:talk:s20", before=5, after=5, max_tokens=150)
    assert natives(small) == ["s20"]
    assert small.before
    assert small.next


def test_what_was_erased_is_neither_a_place_nor_a_step(talk: Archive) -> None:
    with talk.store.snapshot() as reader:
        events = {event.native: event.ordinal for event in reader.scan(EVENT, (PROJECT,), limit=1_000)}
        gone = [
            document.ordinal
            for document in reader.scan(DOCUMENT, (PROJECT,), limit=1_000)
            if events["q2"] in document.members
        ]
    for ordinal in gone:
        talk.store.commit(PROJECT, plan_retire(PROJECT, ordinal, "erased", NOW))
    assert page(talk, "toy:first-session:q2").status == "erased"
    assert page(talk, "toy:first-session:q2").steps == []
    around = page(talk, "toy:first-session:a1", before=9, after=9)
    assert natives(around) == ["q1", "a1", "a2"]
    assert around.account["left_out"]["retired"] == 2


def test_a_bad_request_is_refused_and_what_is_not_there_is_a_status(talk: Archive) -> None:
    for wrong in ({"before": -1}, {"after": -1}, {"max_tokens": 0}, {"max_tokens": -5}):
        with pytest.raises(InvalidInput):
            page(talk, "toy:talk:s1", **wrong)
    with pytest.raises(LimitExceeded):
        page(talk, "toy:talk:s1", after=129)
    other = page(talk, "toy:talk:s5").next
    for cursor in ("x", "t1_", "t1_AAAA", other):
        with pytest.raises(InvalidCursor):
            page(talk, "toy:talk:s1", cursor=cursor)
    assert page(talk, "toy:talk:nothing").status == "missing"
    assert page(talk, "una1_AAAA").status == "locator-invalid"
    narrow = talk.context(Level.PROJECT, ProjectId(b"x" * 16))
    assert traverse(narrow, Traverse("toy:talk:s1")).status == "out-of-scope"
    assert talk.context(Level.PROJECT, PROJECT).scope.allows(PROJECT)
