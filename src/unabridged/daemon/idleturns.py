"""Transcripts whose last turn is open: read once more when nobody has written them for long enough."""

from __future__ import annotations

import threading
from collections.abc import Callable

from unabridged.daemon.messages import Finished
from unabridged.hosts.contract import Candidate
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
        self._due = dict[OriginId, tuple[float, str, Candidate]]()

    def seen(self, origin: Origin, candidate: Candidate, report: Finished) -> None:
        """Learn how reading a transcript ended."""
        if report.outcome == "unchanged":
            return
        with self._lock:
            if report.open and origin.kind != "sidecar":
                self._due[origin.origin] = (self._clock() + self._idle, origin.host, candidate)
            else:
                self._due.pop(origin.origin, None)

    def due(self) -> list[tuple[str, Candidate]]:
        """Return (host, transcript), and forget, what may be idle now; what is not comes back through `seen`."""
        now = self._clock()
        with self._lock:
            ripe = [name for name, (at, _, _) in self._due.items() if at <= now][:MAX_TICK]
            return [self._due.pop(name)[1:] for name in ripe]

    def __len__(self) -> int:
        """Return how many transcripts have an open turn."""
        return len(self._due)
