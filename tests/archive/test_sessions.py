"""A session is found by any of its names, and nothing is read that has none of them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from unabridged.archive.sessions import resolve_session
from unabridged.errors import AmbiguousName, SessionNotFound
from unabridged.schema.ids import GLOBAL, Micros, SessionId, project_id
from unabridged.schema.records import HOME, SESSION, Home, Session
from unabridged.store.contract import Batch, Reader
from unabridged.store.open import open_store

PROJECT = project_id("/nowhere/sessions")
NAMES = {
    "first-session-1": bytes(16),
    "first-session-2": bytes(15) + b"\x01",
    "plain": b"\xab" * 16,
    "plainer": b"\xab" * 15 + b"\xac",
    "last-session-\U0010ffff": b"\xff" * 16,
}


class Counting:
    """A reader that counts the records which it gives out."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self.rows = reader, 0

    def scan(self, *given: Any, **more: Any) -> list[Any]:
        found = self._reader.scan(*given, **more)
        self.rows += len(found)
        return found

    def get(self, *given: Any) -> Any:
        return self._reader.get(*given)


@pytest.fixture
def reader() -> Generator[Any]:
    def plan(_: Any) -> Batch:
        batch = Batch()
        for name, identity in NAMES.items():
            batch.put(HOME, Home(GLOBAL, SessionId(identity), PROJECT, "toy", name))
            batch.put(SESSION, Session(PROJECT, SessionId(identity), "toy", name, created=Micros(1)))
        return batch

    store = open_store("memory:")
    store.commit(PROJECT, plan)
    with store.snapshot() as snapshot:
        yield Counting(snapshot)
    store.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_name_means_its_session_though_others_begin_with_it(reader: Any, name: str) -> None:
    assert resolve_session(reader, name).session == NAMES[name]
    assert resolve_session(reader, NAMES[name].hex()).session == NAMES[name]


def test_eight_characters_of_a_name_are_enough_where_one_session_begins_so(reader: Any) -> None:
    assert resolve_session(reader, "last-ses").host_session == "last-session-\U0010ffff"
    assert resolve_session(reader, "ffffffff").session == b"\xff" * 16
    for name in ("first-se", "00000000", "abababab"):
        with pytest.raises(AmbiguousName):
            resolve_session(reader, name)
    for name in ("plai", "ffff", "last-session-x"):
        with pytest.raises(SessionNotFound):
            resolve_session(reader, name)


def test_for_a_name_that_nobody_has_nothing_is_read(reader: Any) -> None:
    for name in ("a", "another-session", "00000000000000000000000000000002", "session"):
        with pytest.raises(SessionNotFound):
            resolve_session(reader, name)
    assert reader.rows == 0
