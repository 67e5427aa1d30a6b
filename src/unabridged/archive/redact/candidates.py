"""Walks through the candidates of a text, within the parts of it that are to be judged."""

from __future__ import annotations

import bisect
from typing import Protocol

Regions = list[tuple[int, int]]
"""Parts of a text as (begin, end), ascending, apart from each other: only candidates that begin there count."""

BEHIND = (
    1_024  # bytes behind a region that what begins there is looked for in; no candidate's beginning is longer
)
REACH_LEFT = 16_384  # bytes before a change in which a candidate may look as far as it: a token's length
REACH_RIGHT = 8_192  # bytes behind a change likewise: as far back as any rule looks


class Screen(Protocol):
    """What finds candidates."""

    def candidate(self, text: bytes, at: int, end: int) -> int:
        """Return where the next candidate in `text[at:end]` begins, or -1."""
        ...

    def rules_out(self, data: bytes, at: int, high: int) -> bool:
        """Tell cheaply that a candidate is no secret; false: look closer."""
        ...


class Candidates:
    """The candidates of `text[:end]` that begin in its regions."""

    __slots__ = ("_end", "_regions", "_screen", "_text")

    def __init__(self, screen: Screen, text: bytes, end: int, regions: Regions) -> None:
        """Take the text; see `after`."""
        self._screen = screen
        self._text = text
        self._end = end
        self._regions = regions

    def after(self, at: int) -> int:
        """Return the first candidate at `at` or later, or -1."""
        regions = self._regions
        next_region = bisect.bisect_right(regions, at, key=_end_of) if len(regions) > 1 else 0
        while next_region < len(regions):
            low, high = regions[next_region]
            if low >= self._end:
                break
            place = self._screen.candidate(self._text, max(at, low), min(self._end, high + BEHIND))
            if 0 <= place < high:
                return place
            next_region += 1
        return -1

    def open_after(self, at: int) -> int:
        """Return the first candidate at `at` or later that is not ruled out at once, or -1."""
        at = self.after(at)
        while at >= 0 and self._screen.rules_out(self._text, at, self._end):
            at = self.after(at + 1)
        return at


def _end_of(region: tuple[int, int]) -> int:
    return region[1]


def around(changes: Regions, size: int) -> Regions:
    """Return the parts of a text of `size` bytes whose candidates see what was changed at ascending places."""
    found: Regions = []
    for start, end in changes:
        low, high = max(0, start - REACH_LEFT), min(size, end + REACH_RIGHT)
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found
