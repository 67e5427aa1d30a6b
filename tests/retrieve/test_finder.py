"""The index and what was admitted since are one, whatever is committed meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.index.filling import Shelf
from tests.retrieve.conftest import Archive
from tests.support.archiving import PROJECT
from unabridged.index.analysis.query import plan_query
from unabridged.retrieve.asked import Search
from unabridged.retrieve.finder import IndexFinder
from unabridged.retrieve.planning import plan_of
from unabridged.retrieve.recent import Recent
from unabridged.schema.records import EVENT


class Committing:
    """An index that is committed, and its tail forgotten, just after it was looked at."""

    def __init__(self, shelf: Shelf, recent: Recent) -> None:
        self._index, self._recent = shelf.index, recent

    def search(self, *arguments: Any) -> Any:
        found = self._index.search(*arguments)
        self._recent.drop_through(PROJECT, 1)
        return found

    def newest(self, *arguments: Any) -> Any:
        found = self._index.newest(*arguments)
        self._recent.drop_through(PROJECT, 1)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def test_a_commit_during_a_search_hides_nothing(archive: Archive, tmp_path: Path) -> None:
    event = next(one for one in archive.store.snapshot().scan(EVENT, (PROJECT,)) if one.native == "a1")
    for look in ("candidates", "newest"):
        recent = Recent()
        recent.add(event, "Use the script migrate_db.py, never by hand.", 1)
        index: Any = Committing(Shelf(tmp_path / look, ["something else"]), recent)
        finder = IndexFinder(index, {}, recent)
        found = getattr(finder, look)(Search("script"), [PROJECT], 10)
        assert event.ordinal in [one.event for one in found]
        assert not recent.projects()


def test_a_search_in_an_older_opening_finds_what_the_newer_one_took_over(
    archive: Archive, tmp_path: Path
) -> None:
    event = next(one for one in archive.store.snapshot().scan(EVENT, (PROJECT,)) if one.native == "a1")
    recent = Recent()
    recent.add(event, "Use the script migrate_db.py, never by hand.", 1)
    finder = IndexFinder(Shelf(tmp_path, ["something else"]).index, {}, recent)
    finder.keep()
    recent.drop_through(PROJECT, 1)
    for found in (
        finder.candidates(Search("script"), [PROJECT], 10),
        finder.newest(Search("script"), [PROJECT], 10),
    ):
        assert event.ordinal in [one.event for one in found]


PASTE = "\n".join(f"12:00:{at % 60:02} INFO relay[{at}] opened segment {at * 7919}" for at in range(2_000))
QUESTION = "where is the spare key of the boat house?"


@pytest.mark.parametrize(
    "query",
    [f"{QUESTION}\n{PASTE}", f"{PASTE}\n\n{QUESTION}", f"spare key, boat house\n{PASTE}"],
)
def test_a_question_counts_more_than_what_is_pasted_beside_it(query: str) -> None:
    plan = plan_of(query, (), False)
    own = [one.weight for one in plan.clauses if one.source in ("spare", "key", "boat", "house")]
    others = [one.weight for one in plan.clauses if one.source not in QUESTION]
    assert len(own) == 4
    assert others
    assert sum(own) > sum(others)


def test_a_paste_without_a_question_is_looked_for_as_it_is() -> None:
    assert plan_of(PASTE, (), False) == plan_query(PASTE)
    assert plan_of("where is the key?\nby the door", (), False) == plan_query(
        "where is the key?\nby the door"
    )
