"""An engine that passes every call on through one method: what fault injection and metering change from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from unabridged.store.bytes import ByteEngine, ByteView, Change
from unabridged.store.contract import Capabilities, Usage

T = TypeVar("T")


class ForwardingEngine:
    """An engine whose calls all go through `_call`, by name."""

    def __init__(self, engine: ByteEngine) -> None:
        """Take over an open engine."""
        self._engine = engine

    def call(self, name: str, action: Callable[[], T], size: int = 0) -> T:
        """Carry one call out; `size` is the bytes that it writes."""
        del name, size
        return action()

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do."""
        return self._engine.capabilities

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        return self.call("get", lambda: self._engine.get(key))

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        return self.call("get_many", lambda: self._engine.get_many(keys))

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        return self.call("range", lambda: self._engine.range(lower, upper, reverse=reverse, limit=limit))

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        return self.call("count", lambda: self._engine.count(lower, upper))

    def write(self, changes: Sequence[Change]) -> None:
        """Apply changes atomically, not yet durable."""
        size = sum(len(key) + len(value or b"") for key, value in changes)
        self.call("write", lambda: self._engine.write(changes), size)

    def flush(self) -> None:
        """Make every write so far durable."""
        self.call("flush", self._engine.flush)

    def publish(self) -> None:
        """Let views made from now on see every write so far."""
        self.call("publish", self._engine.publish)

    def view(self) -> ByteView:
        """Return the state of the last `publish`."""
        return ForwardingView(self, self.call("view", self._engine.view))

    def reopen(self) -> None:
        """Close, open again."""
        self.call("reopen", self._engine.reopen)

    def usage(self) -> Usage:
        """Return what the map occupies."""
        return self._engine.usage()

    def warm(self) -> None:
        """Make writes as quick as they get."""
        self.call("warm", self._engine.warm)

    def compact(self) -> None:
        """Give back the space of removed entries."""
        self.call("compact", self._engine.compact)

    def backup(self, path: Path) -> None:
        """Write a consistent copy of the published state to an absent path."""
        self.call("backup", lambda: self._engine.backup(path))

    def close(self) -> None:
        """Close."""
        self.call("close", self._engine.close)


class ForwardingView:
    """A view whose reads go through its engine's `call`."""

    def __init__(self, engine: ForwardingEngine, view: ByteView) -> None:
        """Take over a view."""
        self._engine = engine
        self._view = view

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        return self._engine.call("get", lambda: self._view.get(key))

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        return self._engine.call("get_many", lambda: self._view.get_many(keys))

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        return self._engine.call(
            "range", lambda: self._view.range(lower, upper, reverse=reverse, limit=limit)
        )

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        return self._engine.call("count", lambda: self._view.count(lower, upper))

    def close(self) -> None:
        """Release the state."""
        self._view.close()
