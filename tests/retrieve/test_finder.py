"""The index and what was admitted since are one, whatever is committed meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.index.filling import Shelf
from tests.retrieve.conftest import Archive
from tests.support.archiving import PROJECT
from unabridged.retrieve.asked import Search
from unabridged.retrieve.finder import IndexFinder
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
