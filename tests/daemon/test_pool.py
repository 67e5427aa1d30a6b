"""Jobs go to workers in their order, and to idle workers when they can be done elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.living import until
from unabridged.daemon import pool
from unabridged.daemon.channel import Channel
from unabridged.daemon.logs import Log

pytestmark = pytest.mark.slow


class Doing:
    """A job that holds its worker until it is let go."""

    def __init__(self) -> None:
        self.attempts = 0
        self.begun, self.end, self.why = threading.Event(), threading.Event(), ""

    def run(self, channel: Channel) -> None:
        self.begun.set()
        self.end.wait()

    def lost(self, why: str) -> None:
        self.why = why


@pytest.fixture
def two(tmp_path: Path) -> Iterator[pool.Pool]:
    log = Log(str(tmp_path / "logs"))
    made = pool.Pool(2, log)
    yield made
    made.close(10.0)
    log.close()


def test_a_job_is_offered_where_a_worker_has_nothing_to_do(two: pool.Pool) -> None:
    assert not two.offer(Doing()), "no process runs, and none is started for it"
    first, second, third = Doing(), Doing(), Doing()
    two.submit(first, pool.BULK)
    first.begun.wait()
    until(lambda: two.offer(second))
    second.begun.wait()
    assert not two.offer(third), "both are busy"
    first.end.set()
    until(lambda: two.offer(third))
    third.begun.wait()
    second.end.set()
    third.end.set()


def test_workers_start_before_there_is_work_for_them(two: pool.Pool) -> None:
    two.warm()
    until(lambda: len(two.pids()) == 1)
    job = Doing()
    two.submit(job, pool.BULK)
    job.end.set()
    until(lambda: two.waiting == 0)
    two.warm()
    until(lambda: two.waiting == 0)
    assert 1 <= len(two.pids()) <= 2
