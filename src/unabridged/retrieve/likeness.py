"""Near-duplicate passages: a bottom-k sketch over word shingles (Broder 1997)."""

from __future__ import annotations

import heapq
import re
import zlib

SHINGLE = 3  # words
SKETCH = 32  # smallest shingle hashes kept; the estimate of the resemblance is good to about ± 0.15
NEAR = 0.8  # resemblance from which on two passages count as the same
MAX_WORDS = 600  # of a passage that take part
MIN_WORDS = 12  # shorter passages must be equal

_WORD = re.compile(r"\w+")

Sketch = frozenset[int]


def sketch(text: str) -> Sketch:
    """Return the sketch of a passage; numbers are taken as equal, since repeated tool output differs in them."""
    words = ["0" if word.isdigit() else word for word in _WORD.findall(text.lower())[:MAX_WORDS]]
    if len(words) < MIN_WORDS:
        return frozenset((zlib.crc32(" ".join(words).encode()),))
    shingles = {
        zlib.crc32(" ".join(words[at : at + SHINGLE]).encode()) for at in range(len(words) - SHINGLE + 1)
    }
    return frozenset(heapq.nsmallest(SKETCH, shingles))


def near(one: Sketch, other: Sketch) -> bool:
    """Tell whether two sketches belong to near-duplicates."""
    smallest = heapq.nsmallest(SKETCH, one | other)
    return (
        bool(smallest) and sum(value in one and value in other for value in smallest) / len(smallest) >= NEAR
    )
