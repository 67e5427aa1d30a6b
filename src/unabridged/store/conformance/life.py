"""A store opens, waits, copies, shrinks, closes; what was acknowledged is there the next time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from unabridged.errors import StoreClosed, StoreLocked, Unsupported, WouldOverwrite
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import EVENT, HOME, LOG, META_KIND
from unabridged.store.conformance.bench import (
    PROJECT_A,
    PROJECT_B,
    SECONDS,
    Bench,
    appending,
    holds,
    raises,
    same,
)
from unabridged.store.conformance.samples import event, home, meta


def acknowledged_commits_are_there_after_reopening(bench: Bench) -> None:
    if not bench.store.capabilities.durable:
        return
    for number in range(1, 8):
        same(bench.store.commit(PROJECT_A, appending(PROJECT_A)), number)
        bench.commit(("put", HOME, home(1, f"name {number}")))
        bench.reopen()
        same([entry.position for entry in bench.scan(LOG, PROJECT_A)], list(range(1, number + 1)))
        same(bench.scan(HOME, GLOBAL, index="host_session"), [home(1, f"name {number}")])


def a_store_has_one_owner(bench: Bench) -> None:
    capabilities = bench.store.capabilities
    if capabilities.shared or not capabilities.durable:
        return
    raises(StoreLocked, bench.open_store)
    bench.commit(("put", META_KIND, meta("a")))  # the refused opening harmed nothing
    bench.reopen()
    same(bench.get(META_KIND, GLOBAL, "a"), meta("a"))


def a_shared_store_shows_one_order_to_all_owners(bench: Bench) -> None:
    if not bench.store.capabilities.shared:
        return
    other = bench.open_store()
    try:
        positions = [
            store.commit(PROJECT_A, appending(PROJECT_A)) for _ in range(5) for store in (bench.store, other)
        ]
        same(positions, list(range(1, 11)))
        with other.snapshot() as snapshot:
            same([entry.position for entry in snapshot.scan(LOG, (PROJECT_A,))], positions)
    finally:
        other.close()


def closing_finishes_what_was_submitted(bench: Bench) -> None:
    futures = [bench.store.submit(PROJECT_A, appending(PROJECT_A)) for _ in range(40)]
    bench.close()
    same([future.result(0) for future in futures], list(range(1, 41)))
    if bench.store.capabilities.durable:
        same(bench.count(LOG, PROJECT_A), 40)


def a_closed_store_says_so(bench: Bench) -> None:
    store = bench.store
    store.close()
    store.close()
    raises(StoreClosed, lambda: store.submit(PROJECT_A, appending(PROJECT_A)))
    raises(StoreClosed, lambda: store.commit(PROJECT_A, appending(PROJECT_A)))
    raises(StoreClosed, store.snapshot)


def waiting_ends_when_the_log_moves(bench: Bench) -> None:
    store = bench.store
    same(store.wait(PROJECT_A, 0, 0.01), False)
    store.commit(PROJECT_A, appending(PROJECT_A))
    same(store.wait(PROJECT_A, 0, SECONDS), True)
    same(store.wait(PROJECT_A, 1, 0.01), False)
    found = list[bool]()
    waiter = threading.Thread(target=lambda: found.append(store.wait(PROJECT_A, 1, SECONDS)))
    waiter.start()
    store.commit(PROJECT_B, appending(PROJECT_B))
    store.commit(PROJECT_A, appending(PROJECT_A))
    waiter.join(SECONDS)
    same(found, [True])


def waiting_knows_the_log_of_an_earlier_opening(bench: Bench) -> None:
    if not bench.store.capabilities.durable:
        return
    bench.store.commit(PROJECT_A, appending(PROJECT_A))
    store = bench.reopen()
    same(store.wait(PROJECT_A, 0, SECONDS), True)
    same(store.wait(PROJECT_A, 1, 0.01), False)
    same(store.wait(PROJECT_B, 0, 0.01), False)


def the_clock_gives_microseconds(bench: Bench) -> None:
    first, second = bench.store.now(), bench.store.now()
    holds(
        0 <= second - first < SECONDS * 1_000_000, f"{first} and {second} are not microseconds of one moment"
    )


def a_backup_is_a_store_of_its_own(bench: Bench) -> None:
    target = bench.folder / "backup"
    if not bench.store.capabilities.backup:
        raises(Unsupported, lambda: bench.store.backup(target))
        return
    bench.commit(*(("create", EVENT, event(PROJECT_A, number)) for number in range(1, 200)))
    bench.store.backup(target)
    bench.commit(("create", EVENT, event(PROJECT_A, 200)), ("delete", EVENT, (PROJECT_A, 1)))
    same(bench.count(EVENT, PROJECT_A), 199)
    copy = _open_copy(bench, target)
    copy.reopen()
    try:
        same(copy.scan(EVENT, PROJECT_A), [event(PROJECT_A, number) for number in range(1, 200)])
        copy.commit(("create", EVENT, event(PROJECT_A, 201)))
        same(copy.count(EVENT, PROJECT_A, index="id"), 200)
    finally:
        copy.close()
    same(bench.get(EVENT, PROJECT_A, 201), None)


def a_backup_overwrites_nothing(bench: Bench) -> None:
    if not bench.store.capabilities.backup:
        return
    target = bench.folder / "backup"
    target.mkdir()
    (target / "mine.txt").write_text("mine")
    raises(WouldOverwrite, lambda: bench.store.backup(target))
    same([path.name for path in target.iterdir()], ["mine.txt"])
    bench.store.backup(bench.folder / "second")
    raises(WouldOverwrite, lambda: bench.store.backup(bench.folder / "second"))


def _open_copy(bench: Bench, target: Path) -> Bench:
    open_copy = bench.open_copy
    if open_copy is None:
        raise AssertionError("an engine with backups needs `open_copy`")
    return Bench(lambda: open_copy(target), bench.folder)


def usage_grows_with_what_is_kept(bench: Bench) -> None:
    before = bench.store.usage().bytes_on_disk
    bench.commit(*(("create", EVENT, event(PROJECT_A, number, "text " * 50)) for number in range(2_000)))
    after = bench.store.usage().bytes_on_disk
    holds(after > before, f"usage was {before} bytes and is {after} after 2,000 events")


def compaction_loses_nothing(bench: Bench) -> None:
    bench.commit(*(("create", EVENT, event(PROJECT_A, number)) for number in range(300)))
    bench.commit(*(("delete", EVENT, (PROJECT_A, number)) for number in range(0, 300, 2)))
    if not bench.store.capabilities.compact:
        raises(Unsupported, bench.store.compact)
        return
    bench.store.compact()
    kept = [event(PROJECT_A, number) for number in range(1, 300, 2)]
    same(bench.scan(EVENT, PROJECT_A), kept)
    if bench.store.capabilities.durable:
        bench.reopen()
    same(bench.scan(EVENT, PROJECT_A, index="id"), sorted(kept, key=lambda record: record.id))


def warming_changes_nothing(bench: Bench) -> None:
    records = [event(PROJECT_A, number) for number in range(20)]
    bench.commit(*(("create", EVENT, record) for record in records[:10]))
    bench.store.warm()
    bench.commit(*(("create", EVENT, record) for record in records[10:]))
    same(bench.scan(EVENT, PROJECT_A), records)
    if bench.store.capabilities.durable:
        bench.reopen()
        same(bench.scan(EVENT, PROJECT_A), records)


CHECKS: tuple[Callable[[Bench], None], ...] = (
    acknowledged_commits_are_there_after_reopening,
    a_store_has_one_owner,
    a_shared_store_shows_one_order_to_all_owners,
    closing_finishes_what_was_submitted,
    a_closed_store_says_so,
    waiting_ends_when_the_log_moves,
    waiting_knows_the_log_of_an_earlier_opening,
    the_clock_gives_microseconds,
    a_backup_is_a_store_of_its_own,
    a_backup_overwrites_nothing,
    usage_grows_with_what_is_kept,
    compaction_loses_nothing,
    warming_changes_nothing,
)
