"""The memory engine: an ordered map in this process, the model that the others are compared with.

Every key keeps its versions with the number of the write that made them, so that a view is a number. Nothing survives
`close`; `reopen` drops what was not flushed, as a power cut would.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from pathlib import Path

from unabridged.errors import StoreClosed, TransientStoreError, Unsupported
from unabridged.store.bytes import Change
from unabridged.store.contract import Capabilities, Usage

MANY = 64  # keys; sorting costs less than inserting more than that one by one

Version = tuple[int, bytes | None]  # number of the write, value


class MemoryEngine:
    """An ordered map in memory."""

    capabilities = Capabilities(engine="memory", durable=False, shared=False, backup=False, compact=True)

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._versions: dict[bytes, list[Version]] = {}
        self._keys: list[bytes] = []
        self._written = 0
        self._flushed = 0
        self._published = 0
        self._views: dict[int, int] = {}  # number -> views that read it
        self._era = 0  # of the views that still work
        self._closed = False
        self._visible = True

    # --- reads ---------------------------------------------------------------------------------------------------

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        return self.get_at(key, self._written)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        return [self.get_at(key, self._written) for key in keys]

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        return self.range_at(lower, upper, self._written, reverse=reverse, limit=limit)

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        return len(self.range_at(lower, upper, self._written, limit=len(self._keys)))

    def get_at(self, key: bytes, number: int) -> bytes | None:
        """Return the value that a key had after write `number`."""
        with self._lock:
            self._require_open()
            for made, value in reversed(self._versions.get(key, ())):
                if made <= number:
                    return value
        return None

    def range_at(
        self, lower: bytes, upper: bytes, number: int, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return a range as it was after write `number`."""
        found = list[tuple[bytes, bytes]]()
        with self._lock:
            self._require_open()
            for key in self._between(lower, upper, reverse):
                if len(found) >= limit:
                    break
                value = self.get_at(key, number)
                if value is not None:
                    found.append((key, value))
        return found

    def _between(self, lower: bytes, upper: bytes, reverse: bool) -> Iterator[bytes]:
        first, last = bisect_left(self._keys, lower), bisect_left(self._keys, upper)
        places = range(last - 1, first - 1, -1) if reverse else range(first, last)
        return (self._keys[place] for place in places)

    def _require_open(self) -> None:
        if self._closed:
            raise StoreClosed

    # --- writes --------------------------------------------------------------------------------------------------

    def write(self, changes: Sequence[Change]) -> None:
        """Apply changes atomically, in order."""
        with self._lock:
            self._require_open()
            self._written += 1
            oldest = min((self._published, self._flushed, *self._views))
            fresh = list[bytes]()
            for key, value in changes:
                versions = self._versions.get(key)
                if versions is None:
                    versions = self._versions[key] = []
                    fresh.append(key)
                _forget(versions, oldest)
                if versions and versions[-1][0] == self._written:
                    versions.pop()
                versions.append((self._written, value))
            if len(fresh) > MANY:
                self._keys = sorted(self._keys + fresh)
            else:
                for key in fresh:
                    insort(self._keys, key)

    def flush(self) -> None:
        """Keep every write so far across `reopen`."""
        with self._lock:
            self._require_open()
            self._flushed = self._written

    def publish(self) -> None:
        """Let views made from now on see every write so far."""
        with self._lock:
            self._published = self._written
            self._visible = True

    def view(self) -> MemoryView:
        """Return the published state."""
        with self._lock:
            self._require_open()
            if not self._visible:
                raise TransientStoreError("the store is being reopened")
            self._views[self._published] = self._views.get(self._published, 0) + 1
            return MemoryView(self, self._published, self._era)

    def release(self, number: int) -> None:
        """Forget a view of write `number`."""
        with self._lock:
            left = self._views.get(number, 0) - 1
            if left > 0:
                self._views[number] = left
            else:
                self._views.pop(number, None)

    def is_current(self, era: int) -> bool:
        """Tell whether views of that era still work."""
        return era == self._era and not self._closed

    def reopen(self) -> None:
        """Drop what was not flushed."""
        with self._lock:
            self._closed = False
            self._era += 1
            self._views.clear()
            for versions in self._versions.values():
                while versions and versions[-1][0] > self._flushed:
                    versions.pop()
            self._sweep()
            self._written = self._published = self._flushed
            self._visible = False

    def _sweep(self) -> None:
        gone = [key for key, versions in self._versions.items() if not versions]
        for key in gone:
            del self._versions[key]
        self._keys = sorted(self._versions)

    def usage(self) -> Usage:
        """Return the bytes of keys and values."""
        with self._lock:
            size = sum(
                len(key) + sum(len(value or b"") for _, value in versions)
                for key, versions in self._versions.items()
            )
        return Usage(bytes_on_disk=size)

    def warm(self) -> None:
        """Do nothing: the first commit is as quick as any."""

    def compact(self) -> None:
        """Drop versions and removed keys that no view needs."""
        with self._lock:
            self._require_open()
            oldest = min((self._published, self._flushed, *self._views))
            for versions in self._versions.values():
                _forget(versions, oldest)
                if len(versions) == 1 and versions[0][1] is None and versions[0][0] <= oldest:
                    versions.clear()
            self._sweep()

    def backup(self, path: Path) -> None:
        """Raise: there are no files to copy."""
        raise Unsupported("the memory engine has no backup", path=str(path))

    def close(self) -> None:
        """Close; what it held is gone."""
        with self._lock:
            self._closed = True
            self._views.clear()
            self._versions.clear()
            self._keys = []


def _forget(versions: list[Version], oldest: int) -> None:
    """Drop the versions that nobody who reads at `oldest` or later can see."""
    while len(versions) > 1 and versions[1][0] <= oldest:
        del versions[0]


class MemoryView:
    """One published state of a memory engine."""

    def __init__(self, engine: MemoryEngine, number: int, era: int) -> None:
        self._engine = engine
        self._number = number
        self._era = era
        self._open = True

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        self._require_open()
        return self._engine.get_at(key, self._number)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        self._require_open()
        return [self._engine.get_at(key, self._number) for key in keys]

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        self._require_open()
        return self._engine.range_at(lower, upper, self._number, reverse=reverse, limit=limit)

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        self._require_open()
        return len(self._engine.range_at(lower, upper, self._number, limit=2**62))

    def close(self) -> None:
        """Release the state."""
        if self._open:
            self._open = False
            if self._engine.is_current(self._era):
                self._engine.release(self._number)

    def _require_open(self) -> None:
        if not self._open or not self._engine.is_current(self._era):
            raise StoreClosed
