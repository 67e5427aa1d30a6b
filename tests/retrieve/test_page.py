"""A page's cursor belongs to its question, its scope and its archive, and lets in nothing that came later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.retrieve.conftest import Archive
from tests.support.archiving import NOW, PROJECT
from unabridged.archive.notes import NoteDraft, plan_note
from unabridged.errors import InvalidCursor
from unabridged.retrieve import page as paging
from unabridged.retrieve.grep import Grep, grep
from unabridged.retrieve.locator import Locators
from unabridged.retrieve.page import Page
from unabridged.schema.ids import project_id
from unabridged.schema.scope import Level

HEADS = {bytes(PROJECT): 9}
QUESTION = b"where"


def test_a_cursor_says_what_was_written(archive: Archive) -> None:
    context = archive.context()
    cursor = paging.write(context, QUESTION, Page(40, bytes(PROJECT), 7, HEADS))
    assert paging.read(context, QUESTION, cursor) == Page(40, bytes(PROJECT), 7, HEADS)


def test_a_cursor_of_another_question_scope_or_archive_is_refused(archive: Archive) -> None:
    context = archive.context(Level.PROJECT, PROJECT)
    cursor = paging.write(context, QUESTION, Page(40, heads=HEADS))
    elsewhere = replace(context, locators=Locators({1: b"o" * 32}, 1))
    for other, question in (
        (context, b"when"),
        (archive.context(Level.ALL, PROJECT), QUESTION),
        (archive.context(Level.PROJECT, project_id("/other")), QUESTION),
        (elsewhere, QUESTION),
    ):
        with pytest.raises(InvalidCursor):
            paging.read(other, question, cursor)


def test_a_cursor_outlives_a_new_key(archive: Archive) -> None:
    context = archive.context()
    cursor = paging.write(context, QUESTION, Page(40, heads=HEADS))
    renewed = replace(context, locators=Locators({1: b"k" * 32, 2: b"n" * 32}, 2))
    assert paging.read(renewed, QUESTION, cursor).offset == 40


@pytest.mark.parametrize(
    "change",
    [
        lambda cursor: "",
        lambda cursor: cursor[3:],
        lambda cursor: cursor[:-4],
        lambda cursor: cursor[:20] + ("A" if cursor[20] != "A" else "B") + cursor[21:],
        lambda cursor: "p1_" + "=" * 9,
        lambda cursor: "p1_é",
        lambda cursor: cursor + "A" * paging.MAX_CURSOR,
    ],
)
def test_a_damaged_cursor_is_refused(archive: Archive, change: Callable[[str], str]) -> None:
    context = archive.context()
    cursor = paging.write(context, QUESTION, Page(40, heads=HEADS))
    with pytest.raises(InvalidCursor):
        paging.read(context, QUESTION, change(cursor))


def test_a_project_that_the_first_page_did_not_know_has_nothing(archive: Archive) -> None:
    context = archive.context()
    cursor = paging.write(context, QUESTION, Page(40, heads=HEADS))
    later = project_id("/later")
    archive.store.commit(later, plan_note(NoteDraft(later, "/later", "migrate the later thing", "n"), NOW, 1))
    read = paging.read(archive.context(), QUESTION, cursor)
    assert read.heads == {bytes(PROJECT): 9, bytes(later): 0}


def test_a_grep_goes_on_only_with_its_own_cursor(archive: Archive) -> None:
    context = archive.context()
    first = grep(context, Grep("e", limit=1))
    assert grep(context, Grep("e", limit=9, cursor=first.next)).matches
    for other in (Grep("x", cursor=first.next), Grep("e", literal=True, cursor=first.next)):
        with pytest.raises(InvalidCursor):
            grep(context, other)
    with pytest.raises(InvalidCursor):
        grep(archive.context(Level.PROJECT, project_id("/other")), Grep("e", cursor=first.next))
