"""The overlapping windows that one event's text is searched by."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 3_600  # characters, about 900 tokens of English
OVERLAP = 540  # characters, 15 %: what stands at a cut is found whole in one of both windows
SLACK = 400  # characters by which a window may be shorter to end at a line, or longer to take a short rest with it
MOST = 4_096  # windows of one event; more text is left out, and the caller says so


class Windows(NamedTuple):
    """Character ranges (start, end) in order, and how many characters at the end of the text no range covers."""

    ranges: list[tuple[int, int]]
    omitted_chars: int


def windows(text: str) -> Windows:
    """Return the windows of a text: a pure function of the text, which every coordinate in the index depends on.

    A window ends after a line break if there is one in its last `SLACK` characters, else after a space there, and the
    next one begins `OVERLAP` characters before that, at a word if possible. An empty text has no window.
    """
    ranges = list[tuple[int, int]]()
    start, size = 0, len(text)
    while size - start > SIZE + SLACK:
        if len(ranges) == MOST:
            return Windows(ranges, size - ranges[-1][1])
        end = _end(text, start + SIZE - SLACK, start + SIZE)
        ranges.append((start, end))
        start = _start(text, end - OVERLAP)
    if start < size:
        if len(ranges) == MOST:
            return Windows(ranges, size - ranges[-1][1])
        ranges.append((start, size))
    return Windows(ranges, 0)


def _end(text: str, low: int, high: int) -> int:
    for mark in ("\n", " "):
        found = text.rfind(mark, low, high)
        if found >= 0:
            return found + 1
    return high


def _start(text: str, low: int) -> int:
    for mark in ("\n", " "):
        found = text.find(mark, low, low + OVERLAP // 3)
        if found >= 0:
            return found + 1
    return low
