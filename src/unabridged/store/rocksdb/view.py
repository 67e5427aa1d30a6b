"""One published state of a database, shared by all who read it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from rocksdict import Rdict, RdictIter, Snapshot

from unabridged.errors import StoreClosed
from unabridged.store.rocksdb.calls import call, translated

STRIDE = 128  # entries read per turn of a shared iterator, so that no reader keeps the others waiting


class Held:
    """A published state in the driver's terms, which all its views lose at once when the database closes."""

    __slots__ = ("iterator", "lock", "snapshot")

    def __init__(self, database: Rdict) -> None:
        self.snapshot: Snapshot | None = database.snapshot()
        self.iterator: RdictIter | None = database.iter()
        self.lock = threading.Lock()  # over the iterator, which has one place at a time

    def end(self) -> None:
        self.snapshot = None
        with self.lock:
            self.iterator = None

    def walk(
        self, lower: bytes, upper: bytes, *, reverse: bool, limit: int, values: bool = True
    ) -> list[tuple[bytes, bytes]]:
        """Return the first entries of a range, at most `limit`; without `values`, these are empty."""
        with self.lock:
            iterator: Any = self.iterator
            if iterator is None:
                raise StoreClosed
            return call(lambda: _walked(iterator, lower, upper, reverse, limit, values))


class RocksView:
    """One published state of a RocksDB engine."""

    __slots__ = ("_held",)

    def __init__(self, held: Held) -> None:
        """Read from a held state."""
        self._held: Held | None = held

    def _live(self) -> Held:
        if self._held is None:
            raise StoreClosed
        return self._held

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        snapshot = self._live().snapshot
        if snapshot is None:
            raise StoreClosed
        return _look_up(snapshot, key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        snapshot = self._live().snapshot
        if snapshot is None:
            raise StoreClosed
        return [_look_up(snapshot, key) for key in keys]

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        found = list[tuple[bytes, bytes]]()
        while lower < upper and len(found) < limit:
            wanted = min(STRIDE, limit - len(found))
            some = self._live().walk(lower, upper, reverse=reverse, limit=wanted)
            found += some
            if len(some) < wanted:
                break
            if reverse:
                upper = some[-1][0]
            else:
                lower = some[-1][0] + b"\x00"  # the smallest key behind it
        return found

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        total = 0
        while lower < upper:
            some = self._live().walk(lower, upper, reverse=False, limit=STRIDE, values=False)
            total += len(some)
            if len(some) < STRIDE:
                break
            lower = some[-1][0] + b"\x00"
        return total

    def close(self) -> None:
        """Release the state."""
        self._held = None


def _walked(
    iterator: Any, lower: bytes, upper: bytes, reverse: bool, limit: int, values: bool
) -> list[tuple[bytes, bytes]]:
    valid, key, value = iterator.valid, iterator.key, iterator.value
    step = iterator.prev if reverse else iterator.next
    if reverse:
        iterator.seek_for_prev(upper)
        if valid() and key() == upper:
            step()
    else:
        iterator.seek(lower)
    found = list[tuple[bytes, bytes]]()
    while valid():
        at = key()
        if not lower <= at < upper:
            return found
        found.append((at, value() if values else b""))
        if len(found) >= limit:
            return found
        step()
    iterator.status()  # raises what ended it early, such as damage
    return found


def _look_up(snapshot: Snapshot, key: bytes) -> bytes | None:
    try:
        return snapshot[key]
    except Exception as error:  # the driver raises nothing else, also for an absent key
        if str(error) == "key not found":
            return None
        raise translated(error) from error
