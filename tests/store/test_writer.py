"""The writer: one flush for plans that wait together, and nothing acknowledged or seen that is not durable."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from unabridged.errors import DiskFull, ReadOnly, StoreClosed, StoreFailed, TransientStoreError
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import LOG, META_KIND
from unabridged.store import writer
from unabridged.store.conformance.bench import PROJECT_A, appending
from unabridged.store.conformance.samples import meta
from unabridged.store.contract import Batch, Reader, Store
from unabridged.store.open import open_store
from unabridged.store.wrap.faults import FaultyEngine
from unabridged.store.wrap.meter import MeteredEngine

SECONDS = 30.0


class Faults:
    """What to raise at which point, how often; and how often each point was passed."""

    def __init__(self) -> None:
        self.raising: dict[str, list[Exception]] = {}
        self.passed: dict[str, int] = {}
        self.watch: Callable[[str], None] | None = None

    def at(self, point: str, error: Exception, times: int = 1) -> None:
        self.raising[point] = [error] * times

    def __call__(self, point: str) -> None:
        self.passed[point] = self.passed.get(point, 0) + 1
        if self.watch is not None:
            self.watch(point)
        if self.raising.get(point):
            raise self.raising[point].pop()


class Case:
    """One store with faults, and ways to reopen it without."""

    def __init__(self, engine: str, folder: Path) -> None:
        self.engine = engine
        self.place = "memory:" if engine == "memory" else str(folder / "store")
        self.faults = Faults()
        self.store = self.opened()

    def opened(self) -> Store:
        engine = "" if self.engine == "memory" else self.engine
        return open_store(
            self.place, create=True, engine=engine, wrap=lambda inner: FaultyEngine(inner, self.faults)
        )

    def put(self, name: str) -> Future[Any]:
        return self.store.submit(PROJECT_A, lambda _: Batch([("put", META_KIND, meta(name))], name))

    def together(self, *plans: Callable[[Reader], Batch]) -> list[Future[Any]]:
        """Submit plans that run in one group: the first waits until all are queued."""
        queued = threading.Event()

        def first(reader: Reader) -> Batch:
            queued.wait(SECONDS)
            return plans[0](reader)

        futures = [self.store.submit(PROJECT_A, plan) for plan in (first, *plans[1:])]
        queued.set()
        return futures

    def names(self) -> list[str]:
        with self.store.snapshot() as snapshot:
            return [record.name for record in snapshot.scan(META_KIND, (GLOBAL,))]


def putting(name: str) -> Callable[[Reader], Batch]:
    return lambda _: Batch([("put", META_KIND, meta(name))], name)


@pytest.fixture(params=["memory", "rocksdb", "sqlite"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    made = Case(request.param, tmp_path)
    yield made
    made.faults.raising.clear()
    made.store.close()


def test_plans_that_wait_together_share_one_flush(case: Case) -> None:
    before = case.faults.passed.get("after-flush", 0)
    futures = case.together(*(putting(f"{number}") for number in range(20)))
    assert [future.result(SECONDS) for future in futures] == [f"{number}" for number in range(20)]
    flushes = case.faults.passed["after-flush"] - before
    assert 1 <= flushes < 20
    assert case.faults.passed["after-publish"] == case.faults.passed["after-flush"]


def test_a_plan_that_writes_nothing_costs_no_flush(case: Case) -> None:
    assert case.store.commit(PROJECT_A, lambda _: Batch(result=7)) == 7
    assert "before-flush" not in case.faults.passed
    assert "before-write" not in case.faults.passed


def test_nothing_is_seen_between_the_write_and_the_flush(case: Case) -> None:
    seen: dict[str, list[str]] = {}

    def look(point: str) -> None:
        if point in ("after-write", "after-flush", "after-publish"):
            seen[point] = case.names()

    case.faults.watch = look
    case.put("a").result(SECONDS)
    case.faults.watch = None
    assert seen == {"after-write": [], "after-flush": [], "after-publish": ["a"]}


@pytest.mark.parametrize("point", ["before-write", "before-flush"])
def test_a_full_disk_fails_the_commit_and_the_next_one_goes_on(case: Case, point: str) -> None:
    case.put("before").result(SECONDS)
    case.faults.at(point, DiskFull())
    error = case.put("lost").exception(SECONDS)
    if error is None:  # the engine's write was durable although its flush was reported to fail
        assert point == "before-flush"
        assert case.engine == "rocksdb"
        assert case.names() == ["before", "lost"]
    else:
        assert isinstance(error, DiskFull)
        assert case.names() == ["before"]
    case.put("next").result(SECONDS)
    assert "next" in case.names()
    assert case.faults.passed["after-reopen"] == 1


def test_a_failure_that_is_no_full_disk_is_reported_as_one_of_the_store(case: Case) -> None:
    case.faults.at("before-write", StoreFailed(engine="x"))
    error = case.put("lost").exception(SECONDS)
    assert isinstance(error, StoreFailed)
    assert case.names() == []
    assert case.put("next").result(SECONDS) == "next"


def test_a_commit_that_proves_durable_is_acknowledged_although_a_call_failed(case: Case) -> None:
    case.faults.at("after-flush", StoreFailed())
    assert case.put("a").result(SECONDS) == "a"
    assert case.names() == ["a"]


def test_a_failed_write_takes_only_what_is_not_durable_with_it(case: Case) -> None:
    def failing(reader: Reader) -> Batch:
        case.faults.at("before-write", DiskFull())
        return putting("second")(reader)

    futures = case.together(putting("first"), failing, putting("third"))
    errors = [future.exception(SECONDS) for future in futures]
    assert isinstance(errors[1], DiskFull)
    assert errors[2] is None, "it ran after the store was reopened"
    acknowledged = [
        name for name, error in zip(("first", "second", "third"), errors, strict=True) if not error
    ]
    assert case.names() == acknowledged


def test_a_plan_that_raised_in_a_failed_group_is_not_told_what_never_was(case: Case) -> None:
    def conflicting(_: Reader) -> Batch:
        case.faults.at("before-flush", DiskFull())
        return Batch([("create", META_KIND, meta("a"))])

    first, second = case.together(putting("a"), conflicting)
    if first.exception(SECONDS) is not None:
        assert isinstance(second.exception(SECONDS), DiskFull)
    else:
        assert type(second.exception(SECONDS)).__name__ == "Conflict"


def test_while_the_store_cannot_be_reopened_it_reads_and_refuses_to_write(case: Case) -> None:
    case.put("kept").result(SECONDS)
    case.faults.at("before-flush", DiskFull())
    case.faults.at("before-reopen", DiskFull(), times=3)
    assert isinstance(case.put("doubtful").exception(SECONDS), DiskFull)
    for _ in range(2):
        assert isinstance(case.put("refused").exception(SECONDS), DiskFull)
        assert case.names() == ["kept"]
    # There is room again.
    assert case.put("later").result(SECONDS) == "later"
    assert case.names() == ["kept", "later"], "what was not acknowledged was taken back"
    if case.engine != "memory":
        case.store.close()
        case.store = case.opened()
        assert case.names() == ["kept", "later"]


def test_what_a_doubtful_write_replaced_comes_back(case: Case) -> None:
    old, new = meta("a", b"old"), meta("a", b"new")
    case.store.commit(PROJECT_A, lambda _: Batch([("put", META_KIND, old)]))
    case.faults.at("before-flush", DiskFull())
    case.faults.at("before-reopen", DiskFull())
    failed = case.store.submit(
        PROJECT_A, lambda _: Batch([("put", META_KIND, new), ("put", META_KIND, meta("b"))])
    )
    assert isinstance(failed.exception(SECONDS), DiskFull)
    case.put("c").result(SECONDS)
    with case.store.snapshot() as snapshot:
        assert snapshot.scan(META_KIND, (GLOBAL,)) == [old, meta("c")]


def test_a_failure_while_writes_are_taken_back_is_tried_again(case: Case) -> None:
    case.put("kept").result(SECONDS)
    case.faults.at("before-flush", DiskFull(), times=2)
    case.faults.at("before-reopen", DiskFull())
    assert isinstance(case.put("doubtful").exception(SECONDS), DiskFull)
    second = case.put("second").exception(SECONDS)
    assert second is None or isinstance(second, DiskFull)
    case.faults.raising.clear()
    assert case.put("later").result(SECONDS) == "later"
    assert "doubtful" not in case.names()
    assert ("second" in case.names()) == (second is None)


def test_the_log_stays_gapless_through_failures(case: Case) -> None:
    acknowledged = list[int]()
    for number in range(30):
        if number % 3 == 1:
            case.faults.at(("before-write", "before-flush", "after-flush")[number % 9 // 3], DiskFull())
        if number % 6 == 1:
            case.faults.at("before-reopen", DiskFull())
        future = case.store.submit(PROJECT_A, appending(PROJECT_A))
        if future.exception(SECONDS) is None:
            acknowledged.append(future.result())
    with case.store.snapshot() as snapshot:
        assert [entry.position for entry in snapshot.scan(LOG, (PROJECT_A,))] == acknowledged
    assert acknowledged == list(range(1, len(acknowledged) + 1))
    assert 10 <= len(acknowledged) < 30


def test_a_waiter_is_not_told_of_a_position_that_was_lost(case: Case) -> None:
    case.store.commit(PROJECT_A, appending(PROJECT_A))
    case.faults.at("before-write", DiskFull())
    assert case.store.submit(PROJECT_A, appending(PROJECT_A)).exception(SECONDS) is not None
    assert not case.store.wait(PROJECT_A, 1, 0.01)
    case.store.commit(PROJECT_A, appending(PROJECT_A))
    assert case.store.wait(PROJECT_A, 1, SECONDS)


def test_a_state_that_cannot_be_published_after_reopening_is_not_acknowledged(case: Case) -> None:
    case.put("kept").result(SECONDS)
    case.faults.at("before-flush", DiskFull())
    case.faults.at("before-publish", DiskFull())
    assert isinstance(case.put("doubtful").exception(SECONDS), DiskFull)
    case.faults.raising.clear()
    assert case.put("later").result(SECONDS) == "later"
    assert case.names() == ["kept", "later"]


def test_a_disk_that_turns_read_only_is_reported_as_that(case: Case) -> None:
    case.put("kept").result(SECONDS)
    case.faults.at("before-write", ReadOnly())
    assert isinstance(case.put("refused").exception(SECONDS), ReadOnly)
    assert case.names() == ["kept"]
    assert case.put("later").result(SECONDS) == "later"


def test_a_fault_of_our_own_leaves_nobody_waiting(case: Case) -> None:
    case.put("kept").result(SECONDS)
    case.faults.at("before-publish", ZeroDivisionError())
    futures = case.together(putting("a"), putting("b"))
    assert all(isinstance(future.exception(SECONDS), StoreFailed) for future in futures)
    assert isinstance(case.put("c").exception(SECONDS), StoreFailed), "until it is opened again"
    assert case.names() == ["kept"]


def test_a_cancelled_future_is_skipped(case: Case) -> None:
    queued = threading.Event()

    def blocking(_: Reader) -> Batch:
        queued.wait(SECONDS)
        return Batch()

    first = case.store.submit(PROJECT_A, blocking)
    second = case.put("cancelled")
    assert second.cancel()
    queued.set()
    first.result(SECONDS)
    case.put("after").result(SECONDS)
    assert case.names() == ["after"]


def test_a_full_queue_refuses_more(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "QUEUE_PLANS", 3)
    started, queued = threading.Event(), threading.Event()

    def blocking(_: Reader) -> Batch:
        started.set()
        queued.wait(SECONDS)
        return Batch()

    futures = [case.store.submit(PROJECT_A, blocking)]
    assert started.wait(SECONDS)
    futures += [case.put(f"{number}") for number in range(3)]
    with pytest.raises(TransientStoreError):
        case.put("too many")
    queued.set()
    for future in futures:
        assert future.exception(SECONDS) is None
    assert case.put("again").result(SECONDS) == "again"


def test_a_group_ends_at_its_number_of_plans(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "GROUP_PLANS", 4)
    monkeypatch.setattr(writer, "GROUP_MICROS", 1 << 60)
    futures = case.together(*(putting(f"{number}") for number in range(12)))
    assert all(future.exception(SECONDS) is None for future in futures)
    assert case.faults.passed["after-flush"] == 3


def test_closing_while_a_plan_runs_waits_for_it(case: Case) -> None:
    queued = threading.Event()

    def slow(reader: Reader) -> Batch:
        queued.wait(SECONDS)
        return putting("slow")(reader)

    future = case.store.submit(PROJECT_A, slow)
    closer = threading.Thread(target=case.store.close)
    closer.start()

    def submit_until_refused() -> None:
        while True:
            case.put("before the end")
            closer.join(0.001)

    with pytest.raises(StoreClosed):
        submit_until_refused()
    queued.set()
    closer.join(SECONDS)
    assert future.result(0) == "slow"


def test_the_meter_counts_calls_bytes_and_time() -> None:
    ticks = iter(range(0, 10**9, 10))
    meters = list[MeteredEngine]()

    def measured(engine: Any) -> MeteredEngine:
        meters.append(MeteredEngine(engine, lambda: next(ticks)))
        return meters[0]

    store = open_store("memory:", wrap=measured)
    for number in range(3):
        store.commit(PROJECT_A, lambda _, number=number: Batch([("put", META_KIND, meta(f"{number}"))]))
    with store.snapshot() as snapshot:
        snapshot.scan(META_KIND, (GLOBAL,))
    totals = meters[0].totals()
    stored = sum(
        len(META_KIND.encode(meta(f"{n}"))) + len(META_KIND.encode_key((GLOBAL, f"{n}"))) for n in range(3)
    )
    store.close()
    assert (totals["write"].calls, totals["flush"].calls, totals["range"].calls) == (3, 3, 1)
    assert totals["range"].bytes == stored
    assert totals["write"].bytes > stored
    assert totals["flush"].micros == 30
    assert totals["flush"].longest == 10
    assert totals["flush"].failures == 0
