"""Work on long requests: beside the event loop, one at a time, so that it delays no other conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

# Bytes of a body from which it is worked on in a thread. Up to that it takes some ten milliseconds, and to change
# threads for each short request would cost more than it saves.
LONG_BYTES = 2 << 20

T = TypeVar("T")


class LongWork:
    """The thread for long requests. Python switches between it and the loop every few milliseconds."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self._turn = asyncio.Semaphore(1)

    async def run(self, size: int, work: Callable[[], T]) -> T:
        """Return what `work` gives, which is about a body of so many bytes; a short one is worked on at once."""
        if size < LONG_BYTES:
            return work()
        async with self._turn:
            return await asyncio.to_thread(work)
