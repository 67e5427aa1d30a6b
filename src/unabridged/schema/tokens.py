"""Token estimates without a tokenizer.

Three estimators, each for its own purpose: `by_length` (characters / 4) for sizing that must be cheap and stable,
`by_script` (a weight per byte class) for what a model will see, and `strict` (that plus a margin) for budgets that must
not be exceeded. Characters / 4 is up to 2.8 times low on CJK text, logs and base64, so it never guards a budget.
"""

from __future__ import annotations

import math

IMAGE_TOKENS = 1600  # tokens; a fixed proxy for one image, near the largest that the providers bill
# Factor; the estimate's 5th percentile against the largest current tokenizer is 0.74-1.10.
STRICT_MARGIN = 1.25

# Weights per byte class, fitted on held-out samples of prose, code, logs, base64, CJK, Cyrillic and Hangul to the
# larger of two current tokenizers (2026-11; the fit and its error are described in docs/decisions).
_LOWER, _UPPER, _DIGIT, _SPACE, _BREAK, _OTHER = 0.296, 1.478, 0.744, 0.257, 0.116, 0.873
_CONTINUATION, _LEAD2, _LEAD3, _LEAD4 = 0.292, 0.12, 0.427, 1.0


def _classes() -> bytes:
    table = bytearray(b"5" * 128 + b"6" * 64 + b"7" * 32 + b"8" * 16 + b"9" * 16)
    for code in range(128):
        char = chr(code)
        if char.islower():
            table[code] = ord("0")
        elif char.isupper():
            table[code] = ord("1")
        elif char.isdigit():
            table[code] = ord("2")
        elif char == " ":
            table[code] = ord("3")
        elif char in "\n\t\r":
            table[code] = ord("4")
    return bytes(table)


_TABLE = _classes()


def by_length(characters: int) -> int:
    """Return characters / 4, rounded up."""
    return -(-characters // 4)


def by_script(utf8: bytes) -> int:
    """Return the estimate for UTF-8 text from its byte classes, rounded up."""
    count = utf8.translate(
        _TABLE
    ).count  # one pass, then one per class; unrolled, since every event goes through here
    estimate = (
        _LOWER * count(b"0")
        + _UPPER * count(b"1")
        + _DIGIT * count(b"2")
        + _SPACE * count(b"3")
        + _BREAK * count(b"4")
        + _OTHER * count(b"5")
    )
    if not utf8.isascii():
        estimate += (
            _CONTINUATION * count(b"6") + _LEAD2 * count(b"7") + _LEAD3 * count(b"8") + _LEAD4 * count(b"9")
        )
    return math.ceil(estimate)


def strict(utf8: bytes) -> int:
    """Return an estimate that is rarely exceeded: `by_script` and a margin of 25 %."""
    return math.ceil(by_script(utf8) * STRICT_MARGIN)
