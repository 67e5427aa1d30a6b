"""Transcripts whose last turn is open: read once more when nobody has written them for long enough."""

from __future__ import annotations

import threading
from collections.abc import Callable

from unabridged.daemon.messages import Finished
from unabridged.schema.ids import OriginId
from unabridged.schema.records import Origin

MAX_TICK = 200  # transcripts read again in one tick


class IdleTurns:
    """Remembers what is open since when, by a monotonic clock in seconds."""

    def __init__(self, idle_seconds: float, clock: Callable[[], float]) -> None:
        """Turns are idle after so many seconds."""
        self._idle = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._due = dict[OriginId, tuple[float, Origin]]()

    def seen(self, origin: Origin, report: Finished) -> None:
        """Learn how reading a transcript ended."""
        if report.outcome == "unchanged":
            return
        with self._lock:
            if report.open and origin.kind == "file":
                self._due[origin.origin] = (self._clock() + self._idle, origin)
            else:
                self._due.pop(origin.origin, None)

    def due(self) -> list[Origin]:
        """Return, and forget, transcripts that may be idle now; what is still written comes back through `seen`."""
        now = self._clock()
        with self._lock:
            ripe = [origin for at, origin in self._due.values() if at <= now][:MAX_TICK]
            for origin in ripe:
                del self._due[origin.origin]
        return ripe

    def __len__(self) -> int:
        """Return how many transcripts have an open turn."""
        return len(self._due)
