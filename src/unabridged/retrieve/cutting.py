"""The part of a text that fits a budget of tokens, around the place that matters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from unabridged.retrieve.envelope import quote
from unabridged.schema import tokens

EDGE = 80  # bytes within which a cut moves to the end of a line or word


def cost(data: bytes) -> int:
    """Return what UTF-8 text costs a model: by the strict estimate, and no less than what its quoted lines come to."""
    if not data:
        return 0
    return max(tokens.strict(data), tokens.by_script(quote(data.decode("utf-8", "ignore")).encode()))


def cut(data: bytes, budget: int, centre: int = 0) -> tuple[int, int]:
    """Return the byte range of UTF-8 text whose cost fits a budget, whole characters only.

    A text that fits is given whole. Else it begins a little before `centre`, and reaches back as far as room is left.
    """
    if cost(data) <= budget:
        return 0, len(data)
    begin = _word_start(data, max(0, min(centre, len(data)) - budget))
    end = begin + fit(data[begin:], budget, cost)
    if end == len(data):
        begin = _word_start(data, _fit_back(data, budget), back=False)
        return begin, end
    return begin, _word_end(data, begin, end)


def centre(text: str, spans: Sequence[tuple[int, int]], size: int) -> int:
    """Return at which byte of a text most of what was asked for stands within `size` characters (0 without spans).

    A word that the text has often counts less: where all lines say the same, the number that was asked for decides.
    """
    ordered = sorted(spans)
    words = [text[start:end].lower() for start, end in ordered]
    often = Counter(words)
    weights = [1 / often[word] for word in words]
    best, most, low, high, held = 0, 0.0, 0, 0, 0.0
    for at, (start, _) in enumerate(ordered):
        while high < len(ordered) and ordered[high][0] <= start + size // 2:
            held, high = held + weights[high], high + 1
        while ordered[low][0] < start - size // 2:
            held, low = held - weights[low], low + 1
        if held + weights[at] > most + 1e-9:
            best, most = start, held + weights[at]
    return len(text[:best].encode())


def fit(data: bytes, budget: int, measure: Callable[[bytes], int]) -> int:
    """Return how many first bytes of UTF-8 text, whole characters only, come to at most `budget` by a measure."""
    low, high = 0, len(data)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(data[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    while 0 < low < len(data) and data[low] & 0xC0 == 0x80:
        low -= 1
    return low


def _fit_back(data: bytes, budget: int) -> int:
    """Return where the longest end of a text that fits the budget begins."""
    low, high = 0, len(data)
    while low < high:
        middle = (low + high) // 2
        if cost(data[middle:]) <= budget:
            high = middle
        else:
            low = middle + 1
    while low < len(data) and data[low] & 0xC0 == 0x80:
        low += 1
    return low


def _word_start(data: bytes, at: int, *, back: bool = True) -> int:
    """Return where a line or word begins near a place: before it, or behind it; else the character's beginning."""
    if at <= 0 or at >= len(data) or data[at - 1 : at] in (b"\n", b" "):
        return at
    for mark in (b"\n", b" "):
        found = data.rfind(mark, max(0, at - EDGE), at) if back else data.find(mark, at, at + EDGE)
        if found >= 0:
            return found + 1
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at += -1 if back else 1
    return at


def _word_end(data: bytes, begin: int, end: int) -> int:
    for mark in (b"\n", b" "):
        found = data.rfind(mark, max(begin, end - EDGE), end)
        if found > begin:
            return found + 1
    return end
