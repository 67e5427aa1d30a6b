"""Commits of many writers come in one order, and a lost connection costs neither a commit nor the truth about it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.store.postgres.server import Server
from unabridged.errors import Conflict, StoreFailed
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import COUNTERS, LOG, META_KIND, Counters
from unabridged.store.conformance.bench import PROJECT_A, PROJECT_B, appending
from unabridged.store.conformance.samples import meta
from unabridged.store.contract import Batch, Reader
from unabridged.store.postgres import writer
from unabridged.store.postgres.store import PostgresStore

pytestmark = pytest.mark.slow  # a server in between makes every check ten times as long
SECONDS = 60.0


def positions(store: PostgresStore) -> list[int]:
    with store.snapshot() as snapshot:
        return [entry.position for entry in snapshot.scan(LOG, (PROJECT_A,), limit=10_000)]


def test_stores_that_write_at_once_leave_no_gap(opened: Callable[[], PostgresStore]) -> None:
    stores = [opened() for _ in range(3)]
    taken = list[int]()

    def work(store: PostgresStore) -> None:
        for _ in range(20):
            taken.append(store.commit(PROJECT_A, appending(PROJECT_A)))

    threads = [threading.Thread(target=work, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert sorted(taken) == positions(stores[0]) == list(range(1, 61))


def test_records_of_no_project_are_counted_right_by_writers_of_different_projects(
    opened: Callable[[], PostgresStore],
) -> None:
    def counting(reader: Reader) -> Batch:
        old = reader.get(COUNTERS, (GLOBAL,))
        batch = Batch()
        batch.expect(COUNTERS, (GLOBAL,), old)
        batch.put(COUNTERS, Counters(GLOBAL, events=(old.events if old else 0) + 1))
        return batch

    conflicts = list[Conflict]()

    def work(store: PostgresStore, project: Any) -> None:
        for _ in range(15):
            while True:
                try:
                    store.commit(project, counting)
                    break
                except Conflict as conflict:
                    conflicts.append(conflict)

    store = opened()
    threads = [
        threading.Thread(target=work, args=(one, project))
        for one, project in ((store, PROJECT_A), (opened(), PROJECT_B))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    with store.snapshot() as snapshot:
        assert snapshot.get(COUNTERS, (GLOBAL,)) == Counters(GLOBAL, events=30)


def test_two_writers_that_create_one_record_of_no_project_agree(opened: Callable[[], PostgresStore]) -> None:
    barrier = threading.Barrier(2, timeout=SECONDS)
    outcomes = list[type]()

    def creating(reader: Reader) -> Batch:
        if reader.get(META_KIND, (GLOBAL, "x")) is None and not barrier.broken and barrier.n_waiting < 2:
            try:
                barrier.wait()
            finally:
                barrier.abort()
        return Batch([("create", META_KIND, meta("x"))])

    def work(store: PostgresStore, project: Any) -> None:
        outcomes.append(type(store.submit(project, creating).exception(SECONDS)))

    threads = [threading.Thread(target=work, args=(opened(), project)) for project in (PROJECT_A, PROJECT_B)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert len(outcomes) == 2
    assert outcomes.count(type(None)) == 1


def test_a_connection_lost_before_the_commit_is_made_good(
    server: Server, opened: Callable[[], PostgresStore]
) -> None:
    store, runs = opened(), list[int]()
    store.commit(PROJECT_A, appending(PROJECT_A))

    def cut(reader: Reader) -> Batch:
        runs.append(len(runs))
        if len(runs) == 1:
            with psycopg.connect(server.url(), autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE state = 'idle in transaction' AND pid <> pg_backend_pid()"
                )
        return appending(PROJECT_A)(reader)

    assert store.submit(PROJECT_A, cut).result(SECONDS) == 2
    assert runs == [0, 1]
    assert positions(store) == [1, 2]


def test_a_server_that_restarts_is_found_again(server: Server, opened: Callable[[], PostgresStore]) -> None:
    store = opened()
    store.commit(PROJECT_A, appending(PROJECT_A))
    server.stop()
    server.start()
    assert store.submit(PROJECT_A, appending(PROJECT_A)).result(SECONDS) == 2
    assert positions(opened()) == [1, 2]


class Cut:
    """Loses the connection at the commit: before the server has it, or before its answer arrives."""

    def __init__(self, connection: psycopg.Connection[Any], *, reached: bool) -> None:
        self.connection, self.reached = connection, reached

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def commit(self) -> None:
        if self.reached:
            self.connection.commit()
        else:
            self.connection.rollback()
        self.connection.close()
        raise psycopg.OperationalError("the connection is lost")


@pytest.mark.parametrize("reached", [True, False])
def test_a_commit_without_an_answer_is_neither_lost_nor_made_twice(
    opened: Callable[[], PostgresStore], reached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, cuts = opened(), [reached]
    live = writer.PostgresWriter._live

    def cutting(self: writer.PostgresWriter) -> Any:
        connection = live(self)
        return Cut(connection, reached=cuts.pop()) if cuts else connection

    monkeypatch.setattr(writer.PostgresWriter, "_live", cutting)
    runs = list[int]()

    def plan(reader: Reader) -> Batch:
        runs.append(1)
        return appending(PROJECT_A)(reader)

    assert store.submit(PROJECT_A, plan).result(SECONDS) == 1
    assert positions(store) == [1]
    assert len(runs) == (1 if reached else 2)


def test_an_outcome_that_cannot_be_learnt_is_reported_as_unknown(
    opened: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    live = writer.PostgresWriter._live
    cuts = [False]

    def cutting(self: writer.PostgresWriter) -> Any:
        if not cuts:
            raise psycopg.OperationalError("nobody is there")
        return Cut(live(self), reached=cuts.pop())

    monkeypatch.setattr(writer, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(writer.PostgresWriter, "_live", cutting)
    error = store.submit(PROJECT_A, appending(PROJECT_A)).exception(SECONDS)
    assert isinstance(error, StoreFailed)
    assert error.details == {"outcome": "unknown"}
    monkeypatch.undo()
    assert store.commit(PROJECT_A, appending(PROJECT_A)) == 1


def test_plans_of_one_project_that_wait_together_share_a_transaction(
    server: Server, opened: Callable[[], PostgresStore]
) -> None:
    store, queued = opened(), threading.Event()

    def waiting(reader: Reader) -> Batch:
        queued.wait(SECONDS)
        return appending(PROJECT_A)(reader)

    futures = [store.submit(PROJECT_A, waiting)] + [
        store.submit(PROJECT_A, appending(PROJECT_A)) for _ in range(30)
    ]
    queued.set()
    assert [future.result(SECONDS) for future in futures] == list(range(1, 32))
    with psycopg.connect(server.url()) as connection:
        rows = connection.execute("SELECT count(DISTINCT xmin::text) FROM shared.log").fetchone()
    assert rows is not None
    assert rows[0] <= 3
