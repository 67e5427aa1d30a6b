"""Near-duplicate passages: the overlap of their words (Jaccard 1912)."""

from __future__ import annotations

import re

NEAR = 0.85  # share of all words of two passages that are in both, from which on they count as the same
MAX_CHARS = 2_000  # of a passage that take part
MIN_WORDS = 8  # distinct words; passages with fewer must be equal

_WORD = re.compile(r"[^\W\d]+")
_LETTERS = b"abcdefghijklmnopqrstuvwxyz_"
_KEPT = bytes(byte if byte in _LETTERS + _LETTERS.upper() else 0x20 for byte in range(256)).lower()

Sketch = frozenset[str]


def sketch(text: str) -> Sketch:
    """Return what a passage is compared by: its words without numbers, in which repeated tool output differs."""
    words = frozenset(_words(text[:MAX_CHARS]))
    return words if len(words) >= MIN_WORDS else frozenset((" ".join(text[:MAX_CHARS].split()),))


def _words(text: str) -> list[str]:
    if text.isascii():  # a table and a split take a fifth of what the pattern takes
        return text.encode().translate(_KEPT).decode().split()
    return _WORD.findall(text.lower())


def near(one: Sketch, other: Sketch) -> bool:
    """Tell whether two sketches belong to near-duplicates."""
    small, large = sorted((len(one), len(other)))
    if small < large * NEAR:
        return False
    shared = len(one & other)
    return shared >= NEAR * (small + large - shared)
