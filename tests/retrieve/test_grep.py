"""Grep finds every match in log order, page by page, and never hangs."""

from __future__ import annotations

import pytest

from tests.retrieve.conftest import Archive
from tests.support.archiving import PROJECT
from unabridged.errors import InvalidCursor, InvalidInput, InvalidPattern
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.grep import Grep, grep
from unabridged.schema.ids import project_id
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


def test_another_project_sees_nothing(archive: Archive) -> None:
    found = grep(archive.context(Level.PROJECT, project_id("/other")), Grep("migrate"))
    assert found.matches == []
    assert grep(archive.context(Level.PROJECT, PROJECT), Grep("migrate")).matches != []
