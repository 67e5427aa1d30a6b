"""One call that runs in this process: how long it may take, who learns how far it is, who ended it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from unabridged.api.asking import Progress
from unabridged.errors import Cancelled, DeadlineExceeded

PROGRESS_SECONDS = 0.1  # between two reports of one call (as a daemon sends them)


class Running:
    """One call under way."""

    def __init__(self, on_progress: Progress | None, seconds: float) -> None:
        """Report to `on_progress`; stop after so many seconds (0: never)."""
        self.thread = threading.get_ident()
        self.fault: BaseException | None = None  # what `on_progress` raised
        self.closes = False  # the archive was closed by what `on_progress` did
        self._on_progress = on_progress
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._cancelled = False
        self._told = float("-inf")

    def cancel(self) -> None:
        """Have the call end at its next check."""
        self._cancelled = True

    def check(self) -> None:
        """Raise `Cancelled` or `DeadlineExceeded` when nobody waits any longer."""
        if self._cancelled or self.fault is not None:
            raise Cancelled
        if self._seconds and time.monotonic() > self._deadline:
            raise DeadlineExceeded(seconds=self._seconds)

    def progress(self, facts: Mapping[str, Any]) -> None:
        """Report, not too often. What the callback raises ends the call at its next check."""
        now = time.monotonic()
        if self._on_progress is None or self.fault is not None or now - self._told < PROGRESS_SECONDS:
            return
        self._told = now
        try:
            self._on_progress(facts)
        except BaseException as error:  # noqa: BLE001 - it is raised where the program called, once the call has ended
            self.fault = error
