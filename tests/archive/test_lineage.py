"""The current branch leaves out what the person went back from."""

from __future__ import annotations

import json

from tests.support.archiving import PROJECT, ingest
from tests.support.toy_host import NoRedaction, ToyHost
from unabridged.archive.lineage import current_branch
from unabridged.hosts.contract import Head
from unabridged.schema.records import EVENT, SESSION
from unabridged.store.open import open_store


def branch(rows: list[dict[str, object]]) -> list[str]:
    store = open_store("memory:", create=True)
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    ingest(store, ToyHost(), "/t/s.toy", data, Head("s", ""), NoRedaction())
    reader = store.snapshot()
    held = current_branch(reader, reader.scan(SESSION, (PROJECT,))[0])
    found = [event.native for event in reader.scan(EVENT, (PROJECT,)) if event.ordinal in held]
    store.close()
    return found


def test_a_rewound_tail_is_not_on_the_branch() -> None:
    rows: list[dict[str, object]] = [
        {"id": "a", "text": "ask", "human": True},
        {"id": "b", "text": "wrong way", "parent": "a"},
        {"id": "c", "text": "further", "parent": "b"},
        {"id": "d", "text": "again", "parent": "a", "human": True},
        {"id": "e", "text": "right", "parent": "d"},
    ]
    assert branch(rows) == ["a", "d", "e"]


def test_a_host_without_parents_has_one_branch() -> None:
    assert branch([{"id": "a", "text": "x", "human": True}, {"id": "b", "text": "y"}]) == ["a", "b"]


def test_a_loop_of_parents_ends() -> None:
    assert branch([{"id": "a", "text": "x", "parent": "b"}, {"id": "b", "text": "y", "parent": "a"}]) == [
        "a",
        "b",
    ]
