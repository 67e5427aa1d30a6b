"""What is logged of the gateway: names of events and plain facts, never what was sent, never a credential."""

from __future__ import annotations

import time
from typing import Any

from unabridged.daemon.logs import Log

NAME = "gateway.log"
FILE_BYTES = 768 << 10  # with one older file of the same size: little enough to leave the daemon its share
FILES = 2
REPEATED_SECONDS = 10.0  # between two records of the same refusal or fault


class Journal:
    """Writes the records; those that repeat are counted and written together."""

    def __init__(self, folder: str, level: str = "info") -> None:
        """Write into a log folder."""
        self._log = Log(folder, level, name=NAME, most=FILE_BYTES, files=FILES)
        self._last = dict[str, float]()
        self._unsaid = dict[str, int]()

    def write(self, event: str, **facts: Any) -> None:
        """Write a record."""
        self._log.info(event, **facts)

    def failure(self, event: str, error: BaseException) -> None:
        """Write a record of an exception: type and places, not its text."""
        self._log.failure(event, error)

    def refused(self, reason: str) -> None:
        """Write that a request was not served."""
        self._often("refused", reason)

    def fault(self, code: str) -> None:
        """Write that something of ours failed, and a request was served without it."""
        self._often("fault", code)

    def close(self) -> None:
        """End the log."""
        self._log.close()

    def _often(self, event: str, reason: str) -> None:
        key = f"{event} {reason}"
        count, now = self._unsaid.get(key, 0) + 1, time.monotonic()
        if now - self._last.get(key, -REPEATED_SECONDS) < REPEATED_SECONDS:
            self._unsaid[key] = count
            return
        self._last[key], self._unsaid[key] = now, 0
        self._log.warning(event, reason=reason, count=count)
