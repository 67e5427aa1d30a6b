"""An engine that counts its calls, the bytes that go through them, and the time that they take."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from unabridged.store.bytes import ByteEngine
from unabridged.store.wrap.engine import ForwardingEngine

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Totals:
    """What all calls of one name came to."""

    calls: int = 0
    bytes: int = 0  # keys and values that went in or out
    micros: int = 0
    longest: int = 0  # microseconds of the slowest call
    failures: int = 0


class MeteredEngine(ForwardingEngine):
    """Another engine, measured."""

    def __init__(self, engine: ByteEngine, clock: Callable[[], int]) -> None:
        """Take over an open engine; `clock` gives microseconds."""
        super().__init__(engine)
        self._clock = clock
        self._lock = threading.Lock()
        self._totals: dict[str, Totals] = {}

    def totals(self) -> dict[str, Totals]:
        """Return what was measured so far, by the name of the call."""
        with self._lock:
            return dict(self._totals)

    def call(self, name: str, action: Callable[[], T], size: int = 0) -> T:
        """Carry one call out, and add it to the totals."""
        started, failed = self._clock(), True
        try:
            found = super().call(name, action, size)
            failed = False
            size += _size(found)
        finally:
            micros = self._clock() - started
            with self._lock:
                old = self._totals.get(name, Totals())
                self._totals[name] = Totals(
                    old.calls + 1,
                    old.bytes + size,
                    old.micros + micros,
                    max(old.longest, micros),
                    old.failures + failed,
                )
        return found


def _size(found: object) -> int:
    """Return the bytes of values, and of keys that came with them, in what a read returned."""
    if isinstance(found, bytes):
        return len(found)
    if isinstance(found, list | tuple):
        return sum(_size(item) for item in cast("list[Any]", found))
    return 0
