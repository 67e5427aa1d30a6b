"""An archive of a few toy sessions, and a context to ask it with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.archiving import NOW, PROJECT, ingest
from tests.support.toy_host import NoRedaction, ToyHost
from unabridged.archive.resolve import Resolver
from unabridged.hosts.contract import Head
from unabridged.retrieve.context import Context
from unabridged.retrieve.locator import Locators
from unabridged.schema.ids import NO_SESSION, ProjectId, SessionId
from unabridged.schema.scope import Level, Scope
from unabridged.store.contract import Store
from unabridged.store.open import open_store

KEYS = Locators({1: b"k" * 32}, 1)
LONG = "".join(f"line {number} of a long answer, naïve 数据\n" for number in range(900))


@dataclass
class Archive:
    """A store with toy sessions."""

    store: Store

    def context(
        self,
        level: Level = Level.ALL,
        project: ProjectId = PROJECT,
        session: SessionId = NO_SESSION,
        now: int = NOW,
    ) -> Context:
        reader = self.store.snapshot()
        return Context(
            reader,
            Resolver(reader),
            Scope(level, project, session),
            KEYS,
            type(NOW)(now),
            lambda text: (text, 0),
        )

    def add(self, name: str, rows: list[dict[str, object]]) -> None:
        data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        ingest(self.store, ToyHost(), f"/t/{name}.toy", data, Head(name, ""), NoRedaction())


@pytest.fixture
def archive() -> Iterator[Archive]:
    made = Archive(open_store("memory:", create=True))
    made.add(
        "first-session",
        [
            {
                "id": "q1",
                "text": "How do we migrate the database?",
                "human": True,
                "time": 1_700_000_000_000_000,
            },
            {"id": "a1", "text": "Use the script migrate_db.py, never by hand.", "role": "assistant"},
            {"id": "a2", "text": LONG, "role": "assistant"},
            {"id": "q2", "text": "And the rollback?", "human": True},
            {"id": "a3", "text": "Rollback with migrate_db.py --down.", "role": "assistant"},
        ],
    )
    made.add("second-session", [{"id": "b1", "text": "unrelated talk about gardens", "human": True}])
    yield made
    made.store.close()
