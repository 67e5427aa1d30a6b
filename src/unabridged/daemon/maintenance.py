"""What has to be done now and then: one short tick a minute, never two at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from unabridged.daemon.logs import Log

TICK_SECONDS = 60.0
FIRST_SECONDS = 1.0  # after the start, for what is done once: who starts a daemon has a request for it
Task = Callable[[], None]  # must be short: work that is not goes to a worker


class Maintenance:
    """A thread that runs short tasks in turn."""

    def __init__(
        self,
        tasks: Sequence[tuple[str, Task]],
        log: Log,
        period: float = TICK_SECONDS,
        once: Sequence[tuple[str, Task]] = (),
    ) -> None:
        """Begin; each task has a name for the log. Those of `once` run a moment after the start and never again."""
        self._tasks = tasks
        self._once = once
        self._log = log
        self._period = period
        self._ended = threading.Event()
        self.ticks = 0
        self._thread = threading.Thread(target=self._run, name="maintenance", daemon=True)
        self._thread.start()

    def close(self, timeout: float) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        if not self._ended.wait(min(FIRST_SECONDS, self._period)):
            self._each(self._once)
        while not self._ended.wait(self._period):
            self.tick()

    def tick(self) -> None:
        """Run every task once; one that fails is logged and does not keep the others from running."""
        self._each(self._tasks)
        self.ticks += 1

    def _each(self, tasks: Sequence[tuple[str, Task]]) -> None:
        for name, task in tasks:
            if self._ended.is_set():
                return
            try:
                task()
            except Exception as error:  # noqa: BLE001 - a failing task must not end the thread; the next tick retries
                self._log.failure("maintenance-failed", error, task=name)
