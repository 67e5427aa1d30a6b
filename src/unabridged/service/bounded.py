"""Work that is waited for no longer than so many seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

AT_ONCE = 4  # pieces of work that run, those among them that nobody waits for any longer


class _Work(Generic[T]):
    """One piece of work, and what came of it."""

    def __init__(self, run: Callable[[], T]) -> None:
        self._run = run
        self.done = threading.Event()
        self.found: list[T] = []
        self.failure: BaseException | None = None

    def __call__(self, free: threading.Semaphore) -> None:
        try:
            self.found.append(self._run())
        except BaseException as error:  # noqa: BLE001 - it is raised where the work is waited for
            self.failure = error
        finally:
            free.release()
            self.done.set()


class Bounded:
    """Threads for work that may take longer than anybody waits; what is late goes on alone, and its outcome is lost."""

    def __init__(self, most: int = AT_ONCE) -> None:
        """Let at most so many pieces run at once: more of them than that and nothing is begun."""
        self._free = threading.Semaphore(most)

    def run(self, work: Callable[[], T], seconds: float) -> T | None:
        """Return what `work` gives, None where it takes longer (or cannot begin in time); raise what it raises."""
        if not self._free.acquire(timeout=seconds):
            return None
        task = _Work(work)
        threading.Thread(target=task, args=(self._free,), name="bounded", daemon=True).start()
        if not task.done.wait(seconds):
            return None
        if task.failure is not None:
            raise task.failure
        return task.found[0]
