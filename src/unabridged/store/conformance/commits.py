"""A commit is whole or not at all, in order, and tells the truth about what was there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from unabridged.errors import Conflict, InvalidInput
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import COUNTERS, EVENT, HOME, LOG, META_KIND, Counters
from unabridged.store.conformance.bench import (
    PROJECT_A,
    PROJECT_B,
    SECONDS,
    Bench,
    appending,
    holds,
    log_entry,
    raises,
    same,
)
from unabridged.store.conformance.samples import event, home, meta, session
from unabridged.store.contract import Batch, Encoded, Reader

THREADS = 4
EACH = 25
RUN = 20  # records; more than are looked up one by one


def a_commit_returns_the_result_of_its_plan(bench: Bench) -> None:
    same(bench.commit(("put", META_KIND, meta("a")), result={"x": [1]}), {"x": [1]})
    same(bench.commit(result="nothing written"), "nothing written")


def a_created_record_reads_back_equal(bench: Bench) -> None:
    record = event(PROJECT_A, 7)
    bench.commit(("create", EVENT, record))
    same(bench.get(EVENT, PROJECT_A, 7), record)
    same(bench.get(EVENT, PROJECT_A, 8), None)
    same(bench.get(EVENT, PROJECT_B, 7), None)


def creating_a_key_that_exists_conflicts(bench: Bench) -> None:
    bench.commit(("create", META_KIND, meta("a", b"1")))
    raises(Conflict, lambda: bench.commit(("create", META_KIND, meta("a", b"2"))))
    raises(Conflict, lambda: bench.commit(("create", META_KIND, meta("b")), ("create", META_KIND, meta("b"))))
    same(bench.get(META_KIND, PROJECT_GLOBAL, "a"), meta("a", b"1"))
    same(bench.get(META_KIND, PROJECT_GLOBAL, "b"), None)


def a_batch_with_one_conflict_writes_nothing(bench: Bench) -> None:
    bench.commit(("put", META_KIND, meta("taken")), ("create", HOME, home(1, "old")))
    raises(
        Conflict,
        lambda: bench.commit(
            ("put", META_KIND, meta("before")),
            ("put", HOME, home(1, "new")),
            ("delete", META_KIND, (PROJECT_GLOBAL, "taken")),
            ("create", HOME, home(1, "again")),
            ("put", META_KIND, meta("after")),
        ),
    )
    same([record.name for record in bench.scan(META_KIND, PROJECT_GLOBAL)], ["taken"])
    same(bench.scan(HOME, PROJECT_GLOBAL, index="host_session"), [home(1, "old")])


def a_put_replaces_what_its_key_held(bench: Bench) -> None:
    bench.commit(("put", META_KIND, meta("a", b"1")))
    bench.commit(("put", META_KIND, meta("a", b"2")))
    bench.commit(("put", META_KIND, meta("a", b"3")), ("put", META_KIND, meta("a", b"4")))
    same(bench.get(META_KIND, PROJECT_GLOBAL, "a"), meta("a", b"4"))
    same(bench.count(META_KIND, PROJECT_GLOBAL), 1)


def an_append_only_record_is_never_replaced(bench: Bench) -> None:
    bench.commit(("put", EVENT, event(PROJECT_A, 1, "first")))
    raises(Conflict, lambda: bench.commit(("put", EVENT, event(PROJECT_A, 1, "second"))))
    raises(Conflict, lambda: bench.commit(("put", EVENT, event(PROJECT_A, 1, "first"))))
    same(bench.get(EVENT, PROJECT_A, 1), event(PROJECT_A, 1, "first"))


def a_long_run_of_created_records_stops_at_one_that_is_there(bench: Bench) -> None:
    bench.commit(("create", EVENT, event(PROJECT_A, RUN)), ("create", EVENT, event(PROJECT_B, 1)))
    run = [("create", EVENT, event(PROJECT_A, ordinal)) for ordinal in range(1, 2 * RUN) if ordinal != RUN]
    raises(Conflict, lambda: bench.commit(*run, ("create", EVENT, event(PROJECT_A, RUN, "again"))))
    same(bench.count(EVENT, PROJECT_A), 1)
    bench.commit(*run)
    same([record.ordinal for record in bench.scan(EVENT, PROJECT_A)], list(range(1, 2 * RUN)))
    same(bench.get(EVENT, PROJECT_A, RUN), event(PROJECT_A, RUN))


def a_record_that_comes_encoded_is_as_one_that_does_not(bench: Bench) -> None:
    record = event(PROJECT_A, 1)
    encoded = _EncodedEvent(EVENT.encode(record), record.project, record.ordinal, record.id)
    bench.commit(("create", EVENT, encoded))
    same(bench.get(EVENT, PROJECT_A, 1), record)
    same(bench.scan(EVENT, PROJECT_A, index="id"), [record])
    raises(Conflict, lambda: bench.commit(("create", EVENT, encoded)))


class _EncodedEvent(Encoded):
    project: ProjectId
    ordinal: int
    id: bytes


def a_delete_removes_a_record_or_does_nothing(bench: Bench) -> None:
    bench.commit(("put", META_KIND, meta("a")), ("put", META_KIND, meta("b")))
    bench.commit(
        ("delete", META_KIND, (PROJECT_GLOBAL, "a")), ("delete", META_KIND, (PROJECT_GLOBAL, "never"))
    )
    same([record.name for record in bench.scan(META_KIND, PROJECT_GLOBAL)], ["b"])


def an_erased_record_can_be_written_anew_in_one_batch(bench: Bench) -> None:
    bench.commit(("create", EVENT, event(PROJECT_A, 1, "secret")))
    bench.commit(("delete", EVENT, (PROJECT_A, 1)), ("create", EVENT, event(PROJECT_A, 1, "")))
    same(bench.get(EVENT, PROJECT_A, 1), event(PROJECT_A, 1, ""))
    same(bench.count(EVENT, PROJECT_A, index="id"), 1)


def an_expectation_that_holds_lets_a_batch_through(bench: Bench) -> None:
    one = meta("a", b"1")
    bench.commit(("expect", META_KIND, ((PROJECT_GLOBAL, "a"), None)), ("put", META_KIND, one))
    bench.commit(("expect", META_KIND, ((PROJECT_GLOBAL, "a"), one)), ("put", META_KIND, meta("a", b"2")))
    same(bench.get(META_KIND, PROJECT_GLOBAL, "a"), meta("a", b"2"))


def an_expectation_that_fails_conflicts_and_writes_nothing(bench: Bench) -> None:
    bench.commit(("put", META_KIND, meta("a", b"1")))
    for expected in (None, meta("a", b"2")):
        raises(
            Conflict,
            lambda expected=expected: bench.commit(
                ("put", META_KIND, meta("b")), ("expect", META_KIND, ((PROJECT_GLOBAL, "a"), expected))
            ),
        )
    raises(Conflict, lambda: bench.commit(("expect", META_KIND, ((PROJECT_GLOBAL, "c"), meta("c")))))
    same(bench.get(META_KIND, PROJECT_GLOBAL, "b"), None)


def operations_see_those_before_them_in_their_batch(bench: Bench) -> None:
    one, two = meta("a", b"1"), meta("a", b"2")
    key = (PROJECT_GLOBAL, "a")
    bench.commit(
        ("create", META_KIND, one),
        ("expect", META_KIND, (key, one)),
        ("delete", META_KIND, key),
        ("expect", META_KIND, (key, None)),
        ("create", META_KIND, two),
        ("expect", META_KIND, (key, two)),
    )
    same(bench.get(META_KIND, PROJECT_GLOBAL, "a"), two)
    bench.commit(("put", META_KIND, one), ("delete", META_KIND, key))
    same(bench.get(META_KIND, PROJECT_GLOBAL, "a"), None)


def a_plan_sees_what_the_commits_before_it_left(bench: Bench) -> None:
    same([bench.store.commit(PROJECT_A, appending(PROJECT_A)) for _ in range(5)], [1, 2, 3, 4, 5])
    same(bench.store.commit(PROJECT_B, appending(PROJECT_B)), 1)


def plans_submitted_together_run_in_order(bench: Bench) -> None:
    futures = [bench.store.submit(PROJECT_A, appending(PROJECT_A)) for _ in range(50)]
    same([future.result(SECONDS) for future in futures], list(range(1, 51)))
    same([entry.position for entry in bench.scan(LOG, PROJECT_A)], list(range(1, 51)))


def plans_of_many_threads_leave_no_gap(bench: Bench) -> None:
    store = bench.store
    taken = list[int]()

    def work() -> None:
        for _ in range(EACH):
            taken.append(store.commit(PROJECT_A, appending(PROJECT_A)))

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    same(sorted(taken), list(range(1, THREADS * EACH + 1)))
    same([entry.position for entry in bench.scan(LOG, PROJECT_A)], list(range(1, THREADS * EACH + 1)))
    same(bench.get(COUNTERS, PROJECT_A), Counters(PROJECT_A, 1, THREADS * EACH + 1))


def a_plan_that_raises_fails_alone(bench: Bench) -> None:
    class OwnError(Exception):
        pass

    def broken(reader: Reader) -> Batch:
        raise OwnError(str(reader.count(LOG, (PROJECT_A,))))

    futures: list[Future[Any]] = []
    for number in range(1, 10):
        futures.append(bench.store.submit(PROJECT_A, appending(PROJECT_A)))
        if number % 3 == 0:
            futures.append(bench.store.submit(PROJECT_A, broken))
    failed = [future for future in futures if isinstance(future.exception(SECONDS), OwnError)]
    same(len(failed), 3)
    same([future.result(SECONDS) for future in futures if future not in failed], list(range(1, 10)))


def a_plan_that_conflicts_leaves_its_neighbours_alone(bench: Bench) -> None:
    first = bench.submit(("create", META_KIND, meta("a")))
    second = bench.submit(("put", META_KIND, meta("b")), ("create", META_KIND, meta("a")))
    third = bench.submit(("create", META_KIND, meta("c")))
    same([first.exception(SECONDS), third.exception(SECONDS)], [None, None])
    holds(isinstance(second.exception(SECONDS), Conflict), "the second plan must conflict")
    same([record.name for record in bench.scan(META_KIND, PROJECT_GLOBAL)], ["a", "c"])


def invalid_operations_are_refused_whole(bench: Bench) -> None:
    raises(
        InvalidInput, lambda: bench.commit(("put", META_KIND, meta("a")), ("rename", META_KIND, meta("b")))
    )
    raises(InvalidInput, lambda: bench.commit(("put", META_KIND, meta("a")), ("delete", LOG, (PROJECT_A,))))
    raises(
        InvalidInput,
        lambda: bench.commit(("put", META_KIND, meta("a")), ("put", LOG, log_entry(PROJECT_A, -1))),
    )
    raises(
        InvalidInput,
        lambda: bench.commit(("put", META_KIND, meta("a")), ("put", LOG, log_entry(PROJECT_A, 2**63))),
    )
    short: Any = session(1)[:15]
    raises(
        InvalidInput, lambda: bench.commit(("put", META_KIND, meta("a")), ("put", LOG, log_entry(short, 1)))
    )
    same(bench.count(META_KIND, PROJECT_GLOBAL), 0)


def reads_of_a_plan_have_every_form(bench: Bench) -> None:
    bench.commit(*(("create", EVENT, event(PROJECT_A, number)) for number in range(1, 6)))

    def plan(reader: Reader) -> Batch:
        events = reader.scan(EVENT, (PROJECT_A,), start=(2,), stop=(5,), reverse=True, limit=2)
        many = reader.get_many(EVENT, [(PROJECT_A, 5), (PROJECT_A, 9), (PROJECT_A, 1)])
        keys = reader.lookup(
            EVENT, "id", [(PROJECT_A, event(PROJECT_A, 3).id), (PROJECT_A, event(PROJECT_A, 9).id)]
        )
        return Batch(result=(events, many, keys, reader.count(EVENT, (PROJECT_A,))))

    events, many, keys, count = bench.store.commit(PROJECT_A, plan)
    same([record.ordinal for record in events], [4, 3])
    same([record and record.ordinal for record in many], [5, None, 1])
    same(keys, [(PROJECT_A, 3), None])
    same(count, 5)


PROJECT_GLOBAL = meta("").project

CHECKS: tuple[Callable[[Bench], None], ...] = (
    a_commit_returns_the_result_of_its_plan,
    a_created_record_reads_back_equal,
    creating_a_key_that_exists_conflicts,
    a_batch_with_one_conflict_writes_nothing,
    a_put_replaces_what_its_key_held,
    an_append_only_record_is_never_replaced,
    a_long_run_of_created_records_stops_at_one_that_is_there,
    a_record_that_comes_encoded_is_as_one_that_does_not,
    a_delete_removes_a_record_or_does_nothing,
    an_erased_record_can_be_written_anew_in_one_batch,
    an_expectation_that_holds_lets_a_batch_through,
    an_expectation_that_fails_conflicts_and_writes_nothing,
    operations_see_those_before_them_in_their_batch,
    a_plan_sees_what_the_commits_before_it_left,
    plans_submitted_together_run_in_order,
    plans_of_many_threads_leave_no_gap,
    a_plan_that_raises_fails_alone,
    a_plan_that_conflicts_leaves_its_neighbours_alone,
    invalid_operations_are_refused_whole,
    reads_of_a_plan_have_every_form,
)
