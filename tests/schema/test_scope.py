"""A caller sees what its scope contains, and a scope is only ever narrowed."""

from __future__ import annotations

import itertools

from unabridged.schema.ids import GLOBAL, NO_SESSION, ProjectId, SessionId
from unabridged.schema.scope import Level, Scope

MINE, LINKED, OTHER = (ProjectId(letter * 16) for letter in (b"m", b"l", b"o"))
HERE, THERE = (SessionId(letter * 16) for letter in (b"h", b"t"))


def test_the_whole_archive_contains_everything() -> None:
    scope = Scope(Level.ALL)
    assert scope.allows(MINE)
    assert scope.allows(OTHER, THERE)
    assert scope.allows(GLOBAL)


def test_a_project_contains_itself_and_the_projects_linked_to_it() -> None:
    scope = Scope(Level.PROJECT, MINE, HERE, frozenset({LINKED}))
    assert scope.allows(MINE)
    assert scope.allows(MINE, THERE)
    assert scope.allows(LINKED, THERE)
    assert not scope.allows(OTHER)
    assert not scope.allows(GLOBAL)


def test_a_session_contains_only_its_own_records() -> None:
    scope = Scope(Level.SESSION, MINE, HERE, frozenset({LINKED}))
    assert scope.allows(MINE, HERE)
    assert not scope.allows(MINE, THERE)
    assert not scope.allows(MINE), "a record of no session belongs to the project"
    assert not scope.allows(LINKED, HERE)
    assert not scope.allows(OTHER, HERE)


def test_a_caller_that_is_nowhere_sees_nothing_below_the_whole_archive() -> None:
    for level in (Level.PROJECT, Level.SESSION):
        scope = Scope(level, GLOBAL, NO_SESSION)
        assert not scope.allows(MINE, HERE)


def test_narrowing_never_widens() -> None:
    for granted, asked in itertools.product(Level, Level):
        narrowed = Scope(granted, MINE, HERE).narrowed(asked)
        assert narrowed.level == min(granted, asked)
        for project, session in itertools.product((MINE, OTHER), (HERE, THERE, None)):
            if narrowed.allows(project, session):
                assert Scope(granted, MINE, HERE).allows(project, session)
                assert Scope(asked, MINE, HERE).allows(project, session)
