"""Token estimates without a tokenizer.

Three estimators, each for its own purpose: `by_length` (characters / 4) for sizing that must be cheap and stable,
`by_script` (a weight per byte class) for what a model will see, and `strict` (that plus a margin) for budgets that must
not be exceeded. Characters / 4 is up to 2.8 times low on CJK text, logs and base64, so it never guards a budget.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

IMAGE_TOKENS = 1600  # tokens; a fixed proxy for one image, near the largest that the providers bill
# Factor; the estimate's 5th percentile against the largest current tokenizer is 0.74-1.10.
STRICT_MARGIN = 1.25

# Weights per byte class, fitted on held-out samples of prose, code, logs, base64, CJK, Cyrillic and Hangul to the
# larger of two current tokenizers (2026-11; the fit and its error are described in docs/decisions).
_LOWER, _UPPER, _DIGIT, _SPACE, _BREAK, _OTHER = 0.296, 1.478, 0.744, 0.257, 0.116, 0.873
_CONTINUATION, _LEAD2, _LEAD3, _LEAD4 = 0.292, 0.12, 0.427, 1.0


_WEIGHTS = (
    _LOWER,
    _SPACE,
    _UPPER,
    _DIGIT,
    _BREAK,
    _CONTINUATION,
    _LEAD2,
    _LEAD3,
    _LEAD4,
    _OTHER,
)

_LOWERS = b"abcdefghijklmnopqrstuvwxyz"
_UPPERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = b"0123456789"
_BREAKS = b"\n\t\r"
_CONTINUATIONS = bytes(range(0x80, 0xC0))
_LEADS2 = bytes(range(0xC0, 0xE0))
_LEADS3 = bytes(range(0xE0, 0xF0))
_LEADS4 = bytes(range(0xF0, 0x100))


def by_length(characters: int) -> int:
    """Return characters / 4, rounded up."""
    return -(-characters // 4)


# One byte stands for all of its class. Small letters are taken out: most bytes are, and the rest is counted quickly.
_SPACE_AS, _UPPER_AS, _DIGIT_AS, _BREAK_AS = b" ", b"A", b"0", b"\n"
_CONTINUATION_AS, _LEAD2_AS, _LEAD3_AS, _LEAD4_AS, _OTHER_AS = b"\x80", b"\xc0", b"\xe0", b"\xf0", b"."


def _classes() -> bytes:
    table = bytearray(_OTHER_AS * 256)
    for members, stands in (
        (b" ", _SPACE_AS),
        (_UPPERS, _UPPER_AS),
        (_DIGITS, _DIGIT_AS),
        (_BREAKS, _BREAK_AS),
        (_CONTINUATIONS, _CONTINUATION_AS),
        (_LEADS2, _LEAD2_AS),
        (_LEADS3, _LEAD3_AS),
        (_LEADS4, _LEAD4_AS),
    ):
        for byte in members:
            table[byte] = stands[0]
    return bytes(table)


_CLASSES = _classes()


def by_script(utf8: bytes) -> int:
    """Return the estimate for UTF-8 text from its byte classes, rounded up."""
    rest = utf8.translate(_CLASSES, _LOWERS)
    count, size = rest.count, len(rest)
    spaces, uppers, digits, breaks = count(_SPACE_AS), count(_UPPER_AS), count(_DIGIT_AS), count(_BREAK_AS)
    size -= spaces + uppers + digits + breaks
    # Added in this order, here and for parts, so that the sums are the same to the last bit.
    estimate = _LOWER * (len(utf8) - len(rest))
    estimate += _SPACE * spaces
    estimate += _UPPER * uppers
    estimate += _DIGIT * digits
    estimate += _BREAK * breaks
    if not utf8.isascii():
        continuations, leads2 = count(_CONTINUATION_AS), count(_LEAD2_AS)
        leads3, leads4 = count(_LEAD3_AS), count(_LEAD4_AS)
        size -= continuations + leads2 + leads3 + leads4
        estimate += _CONTINUATION * continuations
        estimate += _LEAD2 * leads2
        estimate += _LEAD3 * leads3
        estimate += _LEAD4 * leads4
    return math.ceil(estimate + _OTHER * size)


def by_script_of_parts(parts: Iterable[bytes]) -> int:
    """Return what `by_script` returns for the parts joined."""
    counts = [0] * 10
    classes = (_LOWERS, b" ", _UPPERS, _DIGITS, _BREAKS, _CONTINUATIONS, _LEADS2, _LEADS3, _LEADS4)
    for part in parts:
        rest = part
        for index, members in enumerate(classes):
            size = len(rest)
            rest = rest.translate(None, members)
            counts[index] += size - len(rest)
        counts[9] += len(rest)
    estimate = 0.0
    # In the order in which `by_script` adds, so that the sums are the same to the last bit.
    for count, weight in zip(counts, _WEIGHTS, strict=True):
        estimate += weight * count
    return math.ceil(estimate)


def strict(utf8: bytes) -> int:
    """Return an estimate that is rarely exceeded: `by_script` and a margin of 25 %."""
    return math.ceil(by_script(utf8) * STRICT_MARGIN)
