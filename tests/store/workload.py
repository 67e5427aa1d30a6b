"""A workload whose every commit can be recognised later: whole, absent, or torn.

Commit number n writes the log entry n, the counters, a named value, a run of bytes, a re-indexed record and an event
with its unique id, all of which follow from n (and from a seed, for the sizes). `check` finds what is there and says
whether it is exactly what the first commits, up to some number, leave.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Any

from unabridged.schema.ids import GLOBAL, Micros, ProjectId, SessionId
from unabridged.schema.kinds import Kind
from unabridged.schema.records import COUNTERS, EVENT, HOME, LOG, META_KIND, SEGMENT, Counters, Home
from unabridged.store.conformance.bench import PROJECT_A, log_entry
from unabridged.store.conformance.samples import event, meta, segment
from unabridged.store.contract import Batch, Reader, Snapshot, Store
from unabridged.store.open import open_store

LARGEST = 60_000  # bytes of a run, so that memory tables and write-ahead files turn over often
FORGET = 40  # runs are removed that many commits later, so that there is something to compact
TOGETHER = 8  # commits submitted at once at most


def size_of(number: int) -> int:
    """Return the size of a commit's run: mostly small, sometimes large."""
    chosen = random.Random(number)
    return chosen.randrange(LARGEST) if chosen.random() < 0.3 else chosen.randrange(300)


def run_of(number: int) -> bytes:
    """Return the bytes of a commit's run, which do not compress."""
    return random.Random(~number).randbytes(size_of(number))


def mark_of(number: int) -> bytes:
    """Return the value that a commit names."""
    return hashlib.sha256(b"%d" % number).digest()


def home_of(number: int) -> Home:
    """Return the record that every commit moves in its index."""
    return Home(GLOBAL, SessionId(b"h" * 16), ProjectId(b"p" * 16), "pi", f"name {number % 7}")


def plan(reader: Reader) -> Batch:
    """Make the next commit."""
    counters = reader.get(COUNTERS, (PROJECT_A,)) or Counters(PROJECT_A)
    number = counters.next_position
    batch = Batch(result=number)
    batch.expect(COUNTERS, (PROJECT_A,), counters if number > 1 else None)
    batch.put(COUNTERS, Counters(PROJECT_A, number + 1, number + 1))
    batch.create(LOG, log_entry(PROJECT_A, number))
    batch.create(META_KIND, meta(f"{number:08}", mark_of(number)))
    batch.create(SEGMENT, segment(PROJECT_A, number, run_of(number)))
    if number > FORGET:
        batch.delete(SEGMENT, SEGMENT.key_of(segment(PROJECT_A, number - FORGET, b"")))
    batch.put(HOME, home_of(number))
    batch.create(EVENT, event(PROJECT_A, number))
    return batch


def work(
    place: str, engine: str, seed: int, acknowledge: Callable[[int], None], commits: int = 1 << 30
) -> None:
    """Commit until killed (or `commits` times), reporting each number after its commit returned.

    Every second seed warms the store before that, so that commits overwrite write-ahead files that were used before.
    """
    store = open_store(place, create=True, engine=engine)
    if seed % 2:
        store.warm()
    chosen = random.Random(seed)
    while commits > 0:
        futures = [store.submit(PROJECT_A, plan) for _ in range(min(chosen.randint(1, TOGETHER), commits))]
        for future in futures:
            acknowledge(future.result())
        commits -= len(futures)
    store.close()


def check(store: Store) -> int:
    """Return how many commits are there; raise `AssertionError` unless they are whole and nothing else is there."""
    with store.snapshot() as snapshot:
        last = len(every(snapshot, LOG))
        numbers = list(range(1, last + 1))
        assert [entry.position for entry in every(snapshot, LOG)] == numbers, "the log has a gap"
        assert snapshot.get(COUNTERS, (PROJECT_A,)) == (
            Counters(PROJECT_A, last + 1, last + 1) if last else None
        )
        assert every(snapshot, META_KIND) == [meta(f"{number:08}", mark_of(number)) for number in numbers]
        kept = numbers[-FORGET:]
        assert every(snapshot, SEGMENT) == [segment(PROJECT_A, number, run_of(number)) for number in kept]
        assert every(snapshot, HOME, "host_session") == ([home_of(last)] if last else [])
        events = [event(PROJECT_A, number) for number in numbers]
        assert every(snapshot, EVENT) == events
        assert every(snapshot, EVENT, "id") == sorted(events, key=lambda record: record.id)
    return last


def every(snapshot: Snapshot, kind: Kind[Any], index: str = "") -> list[Any]:
    """Return all records of a kind."""
    return snapshot.scan(kind, (), index=index, limit=100_000)


def after(store: Store) -> None:
    """Commit once more, which a store that was only half recovered would refuse."""
    before = check(store)
    assert store.commit(PROJECT_A, plan) == before + 1
    assert store.now() > Micros(0)
