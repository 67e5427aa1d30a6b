"""Work that nobody waits for gives way to requests that somebody waits for.

One interpreter runs one thread at a time, and a machine has few processors: an import that goes on beside a search
makes it take twice as long. So the threads of an import ask here before each step of theirs.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

MOST_SECONDS = 0.05  # that one step waits, so that an import goes on however much is asked


class Courtesy:
    """Who is waited for. For any number of threads."""

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        self._lock = threading.Lock()
        self._busy = 0
        self._free = threading.Event()
        self._free.set()

    @contextmanager
    def waited_for(self) -> Generator[None]:
        """Hold the others off while this goes on."""
        with self._lock:
            self._busy += 1
            self._free.clear()
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1
                if not self._busy:
                    self._free.set()

    def give_way(self) -> None:
        """Wait until nobody is waited for, but not for long."""
        self._free.wait(MOST_SECONDS)
