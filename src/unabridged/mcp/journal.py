"""What is told of a listener: names of events and plain facts, never what was sent."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any

LOG_SECONDS = 10.0  # between two records of refusals for the same reason


class Journal:
    """Records on the error stream."""

    def __init__(self) -> None:
        """Begin without any."""
        self._last = dict[str, float]()
        self._unsaid = dict[str, int]()

    def write(self, event: str, **facts: Any) -> None:
        """Write a record."""
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
            sys.stderr.write(json.dumps({"time": when, "event": event, "pid": os.getpid(), **facts}) + "\n")
            sys.stderr.flush()

    def refused(self, reason: str) -> None:
        """Count a refusal, and record those for the same reason together."""
        count = self._unsaid.get(reason, 0) + 1
        now = time.monotonic()
        if now - self._last.get(reason, -LOG_SECONDS) < LOG_SECONDS:
            self._unsaid[reason] = count
            return
        self._last[reason], self._unsaid[reason] = now, 0
        self.write("refused", reason=reason, count=count)
