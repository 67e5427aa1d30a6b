"""Notices that the event loop stands still, and says where."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from unabridged.daemon.logs import Log

BEAT_SECONDS = 0.5  # between two questions to the loop
STALL_SECONDS = 1.0  # without an answer count as a stall
REPORT_SECONDS = 60.0  # between two reports, so that a long stall does not fill the log


class Watchdog:
    """A thread that asks the loop whether it still turns."""

    def __init__(
        self,
        wake: Callable[..., object],
        log: Log,
        *,
        beat: float = BEAT_SECONDS,
        stall: float = STALL_SECONDS,
    ) -> None:
        """Begin; `wake` is the loop's call_soon_threadsafe. Must be made by the loop's own thread."""
        self._wake = wake
        self._log = log
        self._beat = beat
        self._stall = stall
        self._loop_thread = threading.get_ident()
        self._ended = threading.Event()
        self._answered = threading.Event()
        self._reported = float("-inf")
        self.stalls = 0
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._answered.set()
        self._thread.join(self._stall + self._beat)

    def _run(self) -> None:
        while not self._ended.wait(self._beat):
            self._answered.clear()
            try:
                self._wake(self._answered.set)
            except RuntimeError:
                return  # the loop is closed
            if not self._answered.wait(self._stall):
                self._report(time.monotonic())
                self._answered.wait()

    def _report(self, now: float) -> None:
        self.stalls += 1
        if now - self._reported < REPORT_SECONDS:
            return
        self._reported = now
        self._log.warning("loop-stalled", seconds=self._stall, places=_where(self._loop_thread))


def _where(thread: int) -> list[str]:
    """Return file:line:function of a thread's frames, innermost last."""
    frame: FrameType | None = sys._current_frames().get(thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    if frame is None:
        return []
    stack = traceback.extract_stack(frame)[-12:]
    return [f"{Path(item.filename).name}:{item.lineno}:{item.name}" for item in stack]
