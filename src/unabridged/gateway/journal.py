"""What is logged of the gateway: names of events and plain facts, never what was sent, never a credential."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from unabridged.daemon.logs import Log
from unabridged.errors import ReadOnly, UnabridgedError

NAME = "gateway.log"
FILE_BYTES = 768 << 10  # with one older file of the same size: little enough to leave the daemon its share
FILES = 2
REPEATED_SECONDS = 10.0  # between two records of the same refusal or fault
OPEN_SECONDS = 10.0  # between two attempts to make a log that could not be made
UNWRITABLE = "log-unwritable"  # the fault of answers while nothing can be logged


class Journal:
    """Writes the records; those that repeat are counted and written together.

    Where no log can be made, nothing is written and `unwritable` says so: an agent is served all the same.
    """

    def __init__(self, folder: str, level: str = "info", clock: Callable[[], float] = time.monotonic) -> None:
        """Write into a log folder; `clock` gives seconds."""
        self._folder, self._level, self._clock = folder, level, clock
        self._last = dict[str, float]()
        self._unsaid = dict[str, int]()
        self._log: Log | None = None
        self._tried = 0.0
        self._unopened = self._open()

    @property
    def trouble(self) -> UnabridgedError | None:
        """Why nothing can be written, None while it can."""
        return self._unopened if self._log is None else self._log.failed

    @property
    def unlogged(self) -> str:
        """The line that tells a person, "" while it can."""
        trouble = self.trouble
        if trouble is None:
            return ""
        return f"una gateway: requests pass, but nothing is logged: {trouble.message} ({trouble.code})"

    @property
    def unwritable(self) -> str:
        """The same as a fault of an answer."""
        return UNWRITABLE if self.trouble is not None else ""

    def write(self, event: str, **facts: Any) -> None:
        """Write a record."""
        if log := self._opened():
            log.info(event, **facts)

    def failure(self, event: str, error: BaseException) -> None:
        """Write a record of an exception: type and places, not its text."""
        if log := self._opened():
            log.failure(event, error)

    def refused(self, reason: str) -> None:
        """Write that a request was not served."""
        self._often("refused", reason)

    def fault(self, code: str) -> None:
        """Write that something of ours failed, and a request was served without it."""
        self._often("fault", code)

    def close(self) -> None:
        """End the log."""
        if self._log is not None:
            self._log.close()

    def _often(self, event: str, reason: str) -> None:
        key = f"{event} {reason}"
        count, now = self._unsaid.get(key, 0) + 1, self._clock()
        if now - self._last.get(key, -REPEATED_SECONDS) < REPEATED_SECONDS:
            self._unsaid[key] = count
            return
        self._last[key], self._unsaid[key] = now, 0
        if log := self._opened():
            log.warning(event, reason=reason, count=count)

    def _opened(self) -> Log | None:
        """Return the log, which is made now and then where that failed."""
        if self._log is None and self._clock() - self._tried >= OPEN_SECONDS:
            self._unopened = self._open()
        return self._log

    def _open(self) -> UnabridgedError | None:
        """Make the log; return what keeps it from being made."""
        self._tried = self._clock()
        try:
            self._log = Log(self._folder, self._level, name=NAME, most=FILE_BYTES, files=FILES)
        except UnabridgedError as error:
            return error
        except OSError as error:
            return ReadOnly(f"{self._folder} cannot be opened or made: {error.strerror}")
        return None
