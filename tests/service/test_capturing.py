"""Commits that are waited for together end, whatever becomes of them."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from unabridged.archive.admission import Appended
from unabridged.errors import DiskFull, StoreClosed
from unabridged.schema.ids import OriginId, Position, ProjectId, SessionId
from unabridged.schema.records import Generation
from unabridged.service.capturing import together

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
