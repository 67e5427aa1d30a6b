"""Grep finds every match in log order, page by page, and never hangs."""

from __future__ import annotations

import pytest

from tests.retrieve.conftest import Archive
from tests.support.archiving import PROJECT
from unabridged.archive.forget import plan_retire
from unabridged.errors import InvalidCursor, InvalidInput, InvalidPattern
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.grep import Grep, grep
from unabridged.retrieve.places import document_of
from unabridged.schema.ids import Micros, project_id
from unabridged.schema.records import EVENT
from unabridged.schema.scope import Level


def natives(archive: Archive, request: Grep) -> list[str]:
    return [match.event.native for match in grep(archive.context(), request).matches]


def test_matches_come_in_log_order_with_their_bytes(archive: Archive) -> None:
    found = grep(archive.context(), Grep(r"migrate_db\.py"))
    assert [match.event.native for match in found.matches] == ["a1", "a3"]
    for match in found.matches:
        assert match.text[match.start : match.end] == b"migrate_db.py"
    assert found.account["complete"] is True


def test_pages_join_to_the_whole(archive: Archive) -> None:
    whole = natives(archive, Grep("e"))
    pages, cursor = list[str](), ""
    while True:
        found = grep(archive.context(), Grep("e", limit=1, cursor=cursor))
        pages += [match.event.native for match in found.matches]
        cursor = found.next
        if not cursor:
            break
    assert pages == whole


def test_literals_case_and_filters(archive: Archive) -> None:
    assert natives(archive, Grep("migrate_db.py", literal=True)) == ["a1", "a3"]
    assert natives(archive, Grep("migrateXdb")) == []
    assert natives(archive, Grep("ROLLBACK", ignore_case=True)) == ["q2", "a3"]
    assert natives(archive, Grep("rollback", filters=Filters(roles=frozenset({"assistant"})))) == []
    assert natives(archive, Grep("Rollback", filters=Filters(roles=frozenset({"assistant"})))) == ["a3"]
    assert natives(archive, Grep("数据")) == ["a2"]


def test_a_pattern_that_would_explode_elsewhere_is_linear(archive: Archive) -> None:
    archive.add("aaa", [{"id": "x", "text": "a" * 50_000, "human": True}])
    assert natives(archive, Grep("(a+)+$")) == ["x"]
    assert natives(archive, Grep("(a|aa)+Q")) == []


def test_bad_patterns_and_cursors_are_refused(archive: Archive) -> None:
    for pattern in ("(", r"(a)\1", "(?=x)", "[z-a]"):
        with pytest.raises(InvalidPattern):
            grep(archive.context(), Grep(pattern))
    with pytest.raises(InvalidInput):
        grep(archive.context(), Grep(""))
    with pytest.raises(InvalidInput):
        grep(archive.context(), Grep("x", limit=0))
    with pytest.raises(InvalidCursor):
        grep(archive.context(), Grep("x", cursor="zz"))


@pytest.mark.parametrize("reason", ["erased", "expired", "retired"])
def test_what_has_left_search_is_not_matched(archive: Archive, reason: str) -> None:
    archive.add("gone", [{"id": "g1", "text": "the okapi sleeps", "human": True}])
    archive.add("kept", [{"id": "k1", "text": "the okapi wakes", "human": True}])
    assert natives(archive, Grep("okapi")) == ["g1", "k1"]
    with archive.store.snapshot() as reader:
        event = next(event for event in reader.scan(EVENT, (PROJECT,)) if event.native == "g1")
        document = document_of(reader, event)
    assert document is not None
    archive.store.commit(PROJECT, plan_retire(PROJECT, document.ordinal, reason, Micros(1)))
    assert natives(archive, Grep("okapi")) == ["k1"]


def test_another_project_sees_nothing(archive: Archive) -> None:
    found = grep(archive.context(Level.PROJECT, project_id("/other")), Grep("migrate"))
    assert found.matches == []
    assert grep(archive.context(Level.PROJECT, PROJECT), Grep("migrate")).matches != []
