"""What is captured together ends, whatever becomes of one part of it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from tests.service.desk import NOW, Desk
from tests.service.test_windows import begin, rows
from unabridged.archive.admission import Appended
from unabridged.archive.capture import Stream
from unabridged.errors import DiskFull, StoreClosed
from unabridged.schema.ids import Micros, OriginId, Position, ProjectId, SessionId
from unabridged.schema.records import Generation
from unabridged.service.capturing import Captures, together
from unabridged.store.contract import Store

GENERATION = Generation(ProjectId(bytes(16)), OriginId(bytes(16)), 1, SessionId(bytes(16)))


def done(position: int) -> Future[Any]:
    made = Future[Any]()
    made.set_result(Appended(Position(position), 0, 0, 0, 0, 1, 0, GENERATION))
    return made


def failed(error: Exception) -> Future[Any]:
    made = Future[Any]()
    made.set_exception(error)
    return made


def test_commits_together_give_the_newest_position() -> None:
    assert together([]).result(1) == 0
    assert together([done(3), done(2)]).result(1) == 3


def test_any_failure_of_a_commit_reaches_who_waits_for_all() -> None:
    for error in (DiskFull(), KeyError("a fault of a plan's own")):
        with pytest.raises(type(error)):
            together([done(3), failed(error)]).result(1)


def test_a_commit_that_was_given_up_says_that_the_store_is_closed() -> None:
    waiting = Future[Any]()
    whole = together([done(3), waiting])
    waiting.cancel()
    with pytest.raises(StoreClosed):
        whole.result(1)


def test_a_turn_that_cannot_be_closed_leaves_the_others_to_the_next_time(desk: Desk) -> None:
    closed = list[bytes]()

    class Failing(Captures):
        def close(self, store: Store, stream: Stream, now: Micros) -> None:
            closed.append(stream.conversation)
            if len(closed) == 1:
                raise DiskFull
            super().close(store, stream, now)

    for digit in "ab":
        begin(desk, conversation=digit * 32, host_session=digit)
        desk.call("capture", conversation=digit * 32, rows=rows("one"))
    captures = Failing()
    with pytest.raises(DiskFull):
        captures.tend(desk.store, NOW)
    assert captures.tend(desk.store, NOW) == 1
    assert sorted(closed) == [bytes.fromhex("a" * 32), bytes.fromhex("b" * 32)]
