"""A circuit breaker: what has just failed is not tried again at once, and less often the more often it fails.

Michael Nygard, Release It!, the pattern of that name. While it is open nothing is tried; once the pause is over one
attempt is, which closes it or opens it for longer.
"""

from __future__ import annotations

from collections.abc import Callable

FIRST_SECONDS = 1.0  # of the first pause
MOST_SECONDS = 60.0  # of the longest; so long a daemon that could be had again is not noticed, at most


class Breaker:
    """Of one thing that may fail. Not for several threads."""

    def __init__(
        self, clock: Callable[[], float], first: float = FIRST_SECONDS, most: float = MOST_SECONDS
    ) -> None:
        """Begin closed; `clock` gives seconds, the pauses go from `first` seconds to `most`, each twice the last."""
        self._clock, self._first, self._most = clock, first, most
        self._pause, self._until = 0.0, 0.0

    @property
    def open(self) -> bool:
        """Whether nothing is to be tried now."""
        return self._pause > 0 and self._clock() < self._until

    @property
    def seconds(self) -> float:
        """Seconds until the next attempt, 0 where it may be now."""
        return max(0.0, self._until - self._clock()) if self._pause else 0.0

    def failed(self) -> None:
        """Take that an attempt failed."""
        self._pause = min(self._most, self._pause * 2 or self._first)
        self._until = self._clock() + self._pause

    def succeeded(self) -> None:
        """Take that one succeeded: the next failure is the first again."""
        self._pause = 0.0
