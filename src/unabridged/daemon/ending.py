"""The signals that tell a process to end, heard at any moment between its first work and its last.

An event loop hears signals only while it runs: before and behind it they would end the process where it stands, or
raise in the middle of anything. Here they are kept until somebody who serves is there to be told; nothing is raised.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
OF_TERMINALS = signal.SIGHUP  # says that the terminal is gone; who ignores it (`nohup`) wants us to stay


class Ending:
    """Some signals, from when this is made to the end of the process. For the main thread."""

    def __init__(self, signals: Sequence[signal.Signals] = SIGNALS) -> None:
        """Hear them from now on."""
        self._waiting = deque[str]()
        self._wake: Callable[[], object] | None = None
        for number in signals:
            if number is not OF_TERMINALS or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._heard)

    @contextmanager
    def telling(self, loop: asyncio.AbstractEventLoop, act: Callable[[str], object]) -> Generator[None]:
        """Have `act` called on a loop that runs, with the name of each signal, also of those that came before.

        The loop must be one that signals wake, as uvloop's does.
        """

        def tell() -> None:
            while self._waiting:
                act(self._waiting.popleft())

        self._wake = lambda: loop.call_soon_threadsafe(tell)
        tell()
        try:
            yield
        finally:
            self._wake = None

    def _heard(self, number: int, _: FrameType | None) -> None:
        self._waiting.append(signal.Signals(number).name)
        if self._wake is not None:
            self._wake()
