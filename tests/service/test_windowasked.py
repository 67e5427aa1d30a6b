"""What models asked the archive in conversations of the wire: kept, given back, forgotten."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.service.desk import Desk
from unabridged.archive import asked as kept
from unabridged.archive.check import check
from unabridged.errors import InvalidInput, LimitExceeded, NotFound, OutOfScope
from unabridged.schema.ids import DocumentId, Micros, Ordinal, ProjectId
from unabridged.schema.records import TOMBSTONE, Tombstone
from unabridged.schema.scope import Level
from unabridged.service.live import AskedRow
from unabridged.store.contract import Batch, Reader

TALK = "3fa2b1c09d8e00112233445566778899"
DOCUMENT = "ab" * 20


def seed(number: int) -> str:
    return f"{number:032x}"


def begin(desk: Desk) -> None:
    desk.call("window.open", conversation=TALK, host="toy", host_session="s-1", cwd="/nowhere/toy")


def row(number: int, said: str = "found", *documents: str) -> AskedRow:
    return AskedRow(seed(number), json.dumps([said]), list(documents))


def held(desk: Desk, **more: Any) -> list[tuple[str, str]]:
    return [(one.seed, one.data) for one in desk.call("window.asked", conversation=TALK, **more).rows]


def test_rows_are_given_back_as_they_were(desk: Desk) -> None:
    begin(desk)
    assert held(desk) == []
    assert held(desk, put=[row(2)]) == [(seed(2), '["found"]')]
    held(desk, put=[row(1, "later", DOCUMENT)])
    assert dict(held(desk)) == {seed(1): '["later"]', seed(2): '["found"]'}
    held(desk, put=[row(2, "anew")])
    assert dict(held(desk)) == {seed(1): '["later"]', seed(2): '["anew"]'}
    with desk.store.snapshot() as reader:
        assert list(check(reader)) == []


def test_what_is_dropped_is_gone(desk: Desk) -> None:
    begin(desk)
    held(desk, put=[row(1), row(2)])
    assert held(desk, drop=[seed(1), seed(9)]) == [(seed(2), '["found"]')]


def test_a_row_with_a_credential_is_not_kept_and_what_it_replaces_is_gone(desk: Desk) -> None:
    begin(desk)
    held(desk, put=[row(1)])
    secret = "hunter2"
    assert held(
        desk, put=[row(1, json.dumps({"arguments": json.dumps({"query": f"token {secret}"})})), row(2)]
    ) == [(seed(2), '["found"]')]


def test_a_row_that_quotes_what_was_erased_is_gone(desk: Desk) -> None:
    begin(desk)
    held(desk, put=[row(1, "quotes it", DOCUMENT), row(2, "another", "cd" * 20)])
    project = ProjectId(bytes.fromhex(desk.call("windows").windows[0].project))

    def erase(_: Reader) -> Batch:
        batch = Batch()
        batch.put(
            TOMBSTONE,
            Tombstone(project, DocumentId(bytes.fromhex(DOCUMENT)), Ordinal(1), "erased", Micros(1)),
        )
        return batch

    desk.store.submit(project, erase).result()
    assert held(desk) == [(seed(2), '["another"]')]


def test_the_oldest_go_where_there_is_no_room(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(desk)
    monkeypatch.setattr(kept, "MOST_ROWS", 3)
    for number in range(1, 6):
        held(desk, put=[row(number)])
    assert len(held(desk)) == 3
    monkeypatch.setattr(kept, "MOST_CHARS", 25)
    assert len(held(desk)) == 2


def test_what_is_no_key_or_too_much_is_refused(desk: Desk) -> None:
    begin(desk)
    with pytest.raises(InvalidInput):
        desk.call("window.asked", conversation=TALK, put=[AskedRow("../x", "[]")])
    with pytest.raises(InvalidInput):
        desk.call("window.asked", conversation=TALK, put=[row(1, "x", "zz")])
    with pytest.raises(LimitExceeded):
        desk.call("window.asked", conversation=TALK, put=[row(1, "x" * (4 << 20))])
    with pytest.raises(NotFound):
        desk.call("window.asked", conversation="00" * 16)


def test_another_project_s_conversation_is_out_of_reach(desk: Desk) -> None:
    begin(desk)
    with pytest.raises(OutOfScope):
        desk.call("window.asked", conversation=TALK, granted=Level.PROJECT, folder="/nowhere/other")
