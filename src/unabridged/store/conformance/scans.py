"""A scan returns what lies in its range, in the order of the keys, whatever the parts of the key are."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.schema.ids import GLOBAL, Micros, Ordinal
from unabridged.schema.kinds import Kind
from unabridged.schema.records import EXPIRY, LEASE, LOG, META_KIND, PATH, Expiry, Lease
from unabridged.store.conformance.bench import PROJECT_A, PROJECT_B, Bench, holds, log_entry, raises, same
from unabridged.store.conformance.samples import every_kind, meta, path, session
from unabridged.store.contract import MAX_SCAN, Snapshot

# In the order of their code points, which is the order of their UTF-8: with NUL, the characters around the surrogates,
# lone surrogates, and texts that begin other texts.
TEXTS = (
    "",
    "\x00",
    "\x00\x00",
    "\x00\x01",
    "\x01",
    "\x01\x01",
    "\x01\x02",
    "\x02",
    " ",
    "a",
    "a\x00",
    "a\x00b",
    "a\x01",
    "a/b",
    "aa",
    "b",
    "\x7f",
    "\x80",
    "é",
    "\ud7ff",
    "\ud7ff\x01",
    "\ud7ffa",
    "\ud800",
    "\ud800a",
    "\udfff",
    "\ue000",
    "\uffff",
    "😀",
    "\U0010ffff",
    "\U0010ffff0",
)
INTEGERS = (0, 1, 255, 256, 2**31, 2**32, 2**53 + 1, 2**63 - 1)


def text_keys_come_in_code_point_order(bench: Bench) -> None:
    bench.commit(*(("create", META_KIND, meta(name)) for name in reversed(TEXTS)))
    same(tuple(record.name for record in bench.scan(META_KIND, GLOBAL)), TEXTS)
    same(tuple(record.name for record in bench.scan(META_KIND, GLOBAL, reverse=True)), TEXTS[::-1])
    for name in TEXTS:
        same(
            [record.name for record in bench.scan(META_KIND, GLOBAL, name)],
            [name],
            "a whole text is the prefix",
        )
        same(bench.get(META_KIND, GLOBAL, name), meta(name))


def text_bounds_cut_where_they_stand(bench: Bench) -> None:
    bench.commit(*(("create", META_KIND, meta(name)) for name in TEXTS))
    with bench.store.snapshot() as snapshot:
        for low, high in itertools.product(range(0, len(TEXTS), 3), repeat=2):
            found = snapshot.scan(META_KIND, (GLOBAL,), start=(TEXTS[low],), stop=(TEXTS[high],))
            same(tuple(record.name for record in found), TEXTS[low:high], f"from {low} to {high}")


def integer_keys_come_in_numeric_order(bench: Bench) -> None:
    bench.commit(*(("create", LOG, log_entry(PROJECT_A, number)) for number in reversed(INTEGERS)))
    same(tuple(entry.position for entry in bench.scan(LOG, PROJECT_A)), INTEGERS)
    same([entry.position for entry in bench.scan(LOG, PROJECT_A, start=(2**53 + 1,))], [2**53 + 1, 2**63 - 1])
    same([entry.position for entry in bench.scan(LOG, PROJECT_A, stop=(256,), reverse=True)], [255, 1, 0])


def every_range_equals_that_of_a_sorted_list(bench: Bench) -> None:
    leases = [Lease(PROJECT_A, Ordinal(n), name, Micros(n)) for n in (0, 3, 7, 2**40) for name in TEXTS[::4]]
    expiries = [
        Expiry(PROJECT_A, bucket, retention, Ordinal(n))
        for bucket in (0, 5, 6)
        for retention in ("", "\x00", "payload")
        for n in (1, 2)
    ]
    paths = [path(PROJECT_A, seq, session(owner)) for owner in range(4) for seq in (1, 2, 200)]
    for kind, records in ((LEASE, leases), (EXPIRY, expiries), (PATH, paths)):
        bench.commit(*(("create", kind, record) for record in reversed(records)))
    with bench.store.snapshot() as snapshot:
        _compare(snapshot, LEASE, leases, ((), (3,), (7, "a\x01"), (8,)))
        _compare(snapshot, EXPIRY, expiries, ((), (5,), (5, "\x00"), (5, "payload", 2), (9,)))
        _compare(snapshot, PATH, paths, ((), (session(2),), (session(2), 2), (session(9),)))


def _compare(
    snapshot: Snapshot, kind: Kind[Any], records: list[Any], edges: tuple[tuple[Any, ...], ...]
) -> None:
    """Compare scans between every two edges, under every prefix of an edge, with a sorted list."""
    ordered = sorted(records, key=lambda record: kind.encode_key(kind.key_of(record)))
    for prefix, start, stop in itertools.product(({edge[:1] for edge in edges}), edges, edges):
        begin = (PROJECT_A, *prefix)
        rest = len(kind.key) - len(begin)
        low, high = start[:rest], stop[:rest]
        if prefix:  # the bounds follow the prefix: take what fits there
            low, high = start[1:][:rest], stop[1:][:rest]
        wanted = [record for record in ordered if kind.key_of(record)[: len(begin)] == begin]
        if low:
            edge = kind.encode_key((*begin, *low))
            wanted = [record for record in wanted if kind.encode_key(kind.key_of(record)) >= edge]
        if high:
            edge = kind.encode_key((*begin, *high))
            wanted = [record for record in wanted if kind.encode_key(kind.key_of(record)) < edge]
        what = f"{kind.name} {prefix} {low} {high}"
        same(snapshot.scan(kind, begin, start=low, stop=high), wanted, what)
        same(snapshot.scan(kind, begin, start=low, stop=high, reverse=True, limit=3), wanted[::-1][:3], what)


def a_scan_stays_in_its_kind_and_project(bench: Bench) -> None:
    for project in (PROJECT_A, PROJECT_B):
        records = every_kind(project, 1)
        bench.commit(
            *(("put", kind, records[kind.name]) for kind in (LOG, PATH, LEASE, EXPIRY)), project=project
        )
    for kind in (LOG, PATH, LEASE, EXPIRY):
        for project in (PROJECT_A, PROJECT_B):
            same(bench.scan(kind, project), [every_kind(project, 1)[kind.name]])
        same(len(bench.scan(kind)), 2, "an empty prefix is the whole kind")
        same(bench.count(kind), 2)
        same(bench.count(kind, PROJECT_A), 1)


def a_limit_bounds_a_scan(bench: Bench) -> None:
    bench.commit(*(("create", LOG, log_entry(PROJECT_A, number)) for number in range(1, 1_203)))
    same(len(bench.scan(LOG, PROJECT_A)), 1_000, "the limit that holds when none is given")
    same([entry.position for entry in bench.scan(LOG, PROJECT_A, limit=2)], [1, 2])
    same([entry.position for entry in bench.scan(LOG, PROJECT_A, limit=2, reverse=True)], [1_202, 1_201])
    same(bench.scan(LOG, PROJECT_A, limit=0), [])
    same(len(bench.scan(LOG, PROJECT_A, limit=MAX_SCAN)), 1_202)
    raises(LimitExceeded, lambda: bench.scan(LOG, PROJECT_A, limit=MAX_SCAN + 1))
    raises(InvalidInput, lambda: bench.scan(LOG, PROJECT_A, limit=-1))
    same(bench.count(LOG, PROJECT_A), 1_202)


def bounds_that_exclude_everything_find_nothing(bench: Bench) -> None:
    bench.commit(*(("create", LOG, log_entry(PROJECT_A, number)) for number in (1, 2, 3)))
    same(bench.scan(LOG, PROJECT_A, start=(3,), stop=(1,)), [])
    same(bench.scan(LOG, PROJECT_A, start=(2,), stop=(2,)), [])
    same(bench.scan(LOG, PROJECT_A, start=(4,)), [])
    same(bench.scan(LOG, PROJECT_A, start=(3,), stop=(1,), reverse=True), [])


def keys_with_wrong_parts_are_refused(bench: Bench) -> None:
    wrong: Any = "text"
    holds(bench.count(LOG, PROJECT_A) == 0, "the store is empty")
    raises(InvalidInput, lambda: bench.get(LOG, PROJECT_A))
    raises(InvalidInput, lambda: bench.get(LOG, PROJECT_A, 1, 2))
    raises(InvalidInput, lambda: bench.get(LOG, PROJECT_A, wrong))
    raises(InvalidInput, lambda: bench.scan(LOG, PROJECT_A[:4]))
    raises(InvalidInput, lambda: bench.scan(LOG, PROJECT_A, 1, start=(2,)))
    raises(InvalidInput, lambda: bench.count(LOG, PROJECT_A, -1))


CHECKS: tuple[Callable[[Bench], None], ...] = (
    text_keys_come_in_code_point_order,
    text_bounds_cut_where_they_stand,
    integer_keys_come_in_numeric_order,
    every_range_equals_that_of_a_sorted_list,
    a_scan_stays_in_its_kind_and_project,
    a_limit_bounds_a_scan,
    bounds_that_exclude_everything_find_nothing,
    keys_with_wrong_parts_are_refused,
)
