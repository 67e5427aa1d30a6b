"""The overlapping windows that one event's text is searched by."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 3_600  # bytes of UTF-8, about 900 tokens in most scripts; of ASCII as many characters
OVERLAP = 540  # bytes, 15 %: what stands at a cut is found whole in one of both windows
SLACK = 400  # bytes by which a window may be shorter to end at a line, or longer to take a short rest with it
CHARACTER_BYTES = 4  # of UTF-8, at most
MOST = 4_096  # windows of one event; more text is left out, and the caller says so


class Windows(NamedTuple):
    """Character ranges (start, end) in order, and how many characters at the end of the text no range covers."""

    ranges: list[tuple[int, int]]
    omitted_chars: int


def windows(text: str) -> Windows:
    """Return the windows of a text: a pure function of the text, which every coordinate in the index depends on.

    A window ends after a line break if there is one in its last `SLACK`, else after a space there, and the next one
    begins `OVERLAP` before that, at a line or a word if possible. Limits are in bytes by the mean size of the text's
    characters. An empty text has no window.
    """
    chars = len(text)
    size, overlap, slack = SIZE, OVERLAP, SLACK
    if chars * CHARACTER_BYTES <= SIZE + SLACK:  # as most texts are
        return Windows([(0, chars)] if chars else [], 0)
    if not text.isascii():
        total = len(text.encode("utf-8", "surrogatepass"))
        size, overlap, slack = (limit * chars // total for limit in (SIZE, OVERLAP, SLACK))
    ranges = list[tuple[int, int]]()
    start = 0
    while start < chars and len(ranges) < MOST:
        end = chars if chars - start <= size + slack else _end(text, start + size - slack, start + size)
        ranges.append((start, end))
        if end == chars:
            break
        start = _start(text, end - overlap, end - overlap // 2)
    return Windows(ranges, chars - ranges[-1][1] if ranges else 0)


def _end(text: str, low: int, high: int) -> int:
    for mark in ("\n", " "):
        found = text.rfind(mark, low, high)
        if found >= 0:
            return found + 1
    return high


def _start(text: str, low: int, high: int) -> int:
    for mark in ("\n", " "):
        found = text.find(mark, low, high)
        if found >= 0:
            return found + 1
    return low
