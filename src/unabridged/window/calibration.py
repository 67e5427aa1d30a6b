"""How far the estimate of tokens is from what the provider counts, learnt from what it reports.

The estimate is characters / 4; the factor is what a request's reported tokens were to it, smoothed. It scales totals,
never the size of one text: gates decide the same on every day.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.schema.tokens import by_length, by_script
from unabridged.window.messages import Item

# Weight of the newest report; the rest is what was known before (exponential smoothing).
NEWEST = 0.3
# Factors outside of this are no property of a language or a tokenizer: the count or the estimate is of something else.
LEAST, MOST = 0.25, 4.0
FEWEST = 200  # tokens; the fixed parts of a small request say nothing of its text

# Characters of the newest texts that a first guess looks at, and the factor from which they are dense: below it the
# guess is no better than none.
LOOKED_AT, DENSE = 32_000, 1.5


class Calibration(msgspec.Struct, frozen=True, array_like=True):
    """The factor from estimated to reported tokens, and how many reports it rests on."""

    factor: float = 1.0
    reports: int = 0

    def scaled(self, tokens: int) -> int:
        """Return an estimate as the provider would count it."""
        return int(tokens * self.factor)


def observed(known: Calibration, estimated: int, reported: int, size: int = 0) -> Calibration:
    """Return what is known after a report.

    `estimated` is the estimate for the request as it was sent, `reported` all of the provider's input tokens (read
    from the cache, written to it, and neither), `size` the request's bytes where known. An impossible count changes
    nothing: none or less, more than one a byte, or further from the estimate than any text is.
    """
    if estimated < FEWEST or reported < 1 or (size and reported > size):
        return known
    factor = reported / estimated
    if not LEAST <= factor <= MOST:
        return known
    if known.reports:
        factor = known.factor + NEWEST * (factor - known.factor)
    return Calibration(round(factor, 6), known.reports + 1)


def guessed(items: Sequence[Item]) -> Calibration:
    """Return a factor before any report: above 1 where the newest texts are of a script that is dense in tokens."""
    texts, left = list[str](), LOOKED_AT
    for item in reversed(items):
        for part in item.parts:
            if part.text and left > 0:
                texts.append(part.text[:left])
                left -= len(part.text)
        if left <= 0:
            break
    sample = "".join(texts)
    if not sample or sample.isascii():
        return Calibration()
    factor = by_script(sample.encode("utf-8", "surrogatepass")) / by_length(len(sample))
    return Calibration(min(MOST, round(factor, 6))) if factor >= DENSE else Calibration()
