"""A short excerpt of a passage, centred on what matched."""

from __future__ import annotations

from collections.abc import Sequence

SNIPPET_CHARS = 240
LEAD_CHARS = 60  # of context before the densest place
MARK = "…"


def excerpt(text: str, spans: Sequence[tuple[int, int]], size: int = SNIPPET_CHARS) -> str:
    """Return at most `size` characters of `text` around the densest group of matched spans (character offsets).

    Runs of white space become one space; cut ends carry an ellipsis. Without spans it is the beginning.
    """
    start = _densest(spans, size) if spans else 0
    begin = max(0, min(start - LEAD_CHARS, len(text) - size)) if len(text) > size else 0
    begin = _word_start(text, begin)
    end = min(len(text), begin + size)
    if end < len(text):
        end = _word_end(text, begin, end)
    body = " ".join(text[begin:end].split())
    return (MARK if begin > 0 else "") + body + (MARK if end < len(text) else "")


def _densest(spans: Sequence[tuple[int, int]], size: int) -> int:
    """Return where the stretch of `size` characters begins that covers the most distinct spans."""
    ordered = sorted(spans)
    best = at = ordered[0][0]
    most = first = 0
    for last, (start, end) in enumerate(ordered):
        while ordered[first][0] < end - size:
            first += 1
        if last - first + 1 > most:
            most, best = last - first + 1, ordered[first][0]
        at = start
    return best if most else at


def _word_start(text: str, at: int) -> int:
    if at == 0 or text[at - 1].isspace():
        return at
    found = text.find(" ", at, at + 20)
    return found + 1 if found >= 0 else at


def _word_end(text: str, begin: int, end: int) -> int:
    found = text.rfind(" ", max(begin, end - 20), end)
    return found if found > begin else end
