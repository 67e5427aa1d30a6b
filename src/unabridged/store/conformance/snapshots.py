"""A snapshot is one durable state, for as long as it is held."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from unabridged.errors import StoreClosed
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import COUNTERS, LOG, META_KIND
from unabridged.store.conformance.bench import PROJECT_A, SECONDS, Bench, appending, holds, raises, same
from unabridged.store.conformance.samples import meta


def a_snapshot_stays_as_it_was(bench: Bench) -> None:
    bench.commit(("put", META_KIND, meta("a", b"1")), ("put", META_KIND, meta("b", b"1")))
    with bench.store.snapshot() as before:
        bench.commit(("put", META_KIND, meta("a", b"2")), ("delete", META_KIND, (GLOBAL, "b")))
        bench.commit(("put", META_KIND, meta("c", b"2")))
        with bench.store.snapshot() as after:
            same(before.scan(META_KIND, (GLOBAL,)), [meta("a", b"1"), meta("b", b"1")])
            same(before.get(META_KIND, (GLOBAL, "c")), None)
            same(before.count(META_KIND, (GLOBAL,)), 2)
            same(after.scan(META_KIND, (GLOBAL,)), [meta("a", b"2"), meta("c", b"2")])
            same(after.get_many(META_KIND, [(GLOBAL, "b"), (GLOBAL, "c")]), [None, meta("c", b"2")])


def a_commit_is_in_every_snapshot_taken_after_it(bench: Bench) -> None:
    for number in range(1, 30):
        same(bench.store.commit(PROJECT_A, appending(PROJECT_A)), number)
        same(bench.count(LOG, PROJECT_A), number)


def a_future_resolves_when_its_commit_can_be_seen(bench: Bench) -> None:
    seen = list[int]()
    futures = list[Any]()
    for _ in range(20):
        future = bench.store.submit(PROJECT_A, appending(PROJECT_A))
        future.add_done_callback(lambda done: seen.append(bench.count(LOG, PROJECT_A) - done.result()))
        futures.append(future)
    for future in futures:
        future.result(SECONDS)
    bench.close()  # which waits for the callbacks too
    same(len(seen), 20)
    holds(min(seen) >= 0, f"a future resolved before its commit was in a snapshot: {seen}")


def a_snapshot_never_shows_half_a_commit(bench: Bench) -> None:
    store = bench.store
    stop = threading.Event()
    torn = list[tuple[int, int]]()

    def read() -> None:
        while not stop.is_set():
            with store.snapshot() as snapshot:
                counters = snapshot.get(COUNTERS, (PROJECT_A,))
                entries = snapshot.count(LOG, (PROJECT_A,))
            if (counters.next_position - 1 if counters else 0) != entries:
                torn.append((counters.next_position if counters else 0, entries))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(60):
        store.commit(PROJECT_A, appending(PROJECT_A))
    stop.set()
    for reader in readers:
        reader.join(SECONDS)
    same(torn, [])


def a_snapshot_can_be_read_from_other_threads(bench: Bench) -> None:
    bench.commit(*(("put", META_KIND, meta(f"{number:03}")) for number in range(200)))
    found = list[int]()
    with bench.store.snapshot() as snapshot:

        def read() -> None:
            for _ in range(10):
                found.append(len(snapshot.scan(META_KIND, (GLOBAL,))))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
    same(found, [200] * 40)


def many_snapshots_can_be_held(bench: Bench) -> None:
    held = [bench.store.snapshot()]
    for number in range(10):
        bench.commit(("put", META_KIND, meta(f"{number}")))
        held.append(bench.store.snapshot())
        held.append(bench.store.snapshot())
    counts = [snapshot.count(META_KIND, (GLOBAL,)) for snapshot in held]
    same(counts, [0, *(number for number in range(1, 11) for _ in range(2))])
    for snapshot in held:
        snapshot.close()
    same(bench.count(META_KIND, GLOBAL), 10)


def a_closed_snapshot_refuses_to_be_read(bench: Bench) -> None:
    snapshot = bench.store.snapshot()
    snapshot.close()
    snapshot.close()
    raises(StoreClosed, lambda: snapshot.get(META_KIND, (GLOBAL, "a")))
    raises(StoreClosed, lambda: snapshot.get_many(META_KIND, [(GLOBAL, "a")]))
    raises(StoreClosed, lambda: snapshot.scan(META_KIND, (GLOBAL,)))
    raises(StoreClosed, lambda: snapshot.count(META_KIND, (GLOBAL,)))


def a_snapshot_held_over_the_close_of_its_store_ends(bench: Bench) -> None:
    bench.commit(("put", META_KIND, meta("a")))
    snapshot = bench.store.snapshot()
    bench.close()
    raises(StoreClosed, lambda: snapshot.get(META_KIND, (GLOBAL, "a")))
    snapshot.close()
    if bench.store.capabilities.durable:
        same(bench.get(META_KIND, GLOBAL, "a"), meta("a"))


CHECKS: tuple[Callable[[Bench], None], ...] = (
    a_snapshot_stays_as_it_was,
    a_commit_is_in_every_snapshot_taken_after_it,
    a_future_resolves_when_its_commit_can_be_seen,
    a_snapshot_never_shows_half_a_commit,
    a_snapshot_can_be_read_from_other_threads,
    many_snapshots_can_be_held,
    a_closed_snapshot_refuses_to_be_read,
    a_snapshot_held_over_the_close_of_its_store_ends,
)
