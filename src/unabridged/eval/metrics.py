"""Measures of ranked lists, with intervals.

Recall at k is the mean share of a question's evidence that stands among the first k; MRR the mean of 1 / rank of the
first evidence; nDCG at k weighs each evidence by 1 / log2(rank + 1). Intervals are 95 % percentile bootstraps over
questions with a fixed seed (Efron & Tibshirani, 1993); a difference is of paired questions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence

RESAMPLES = 1_000
SEED = 20_261_130
LEVEL = 0.95


def recall(ranked: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return the share of `wanted` among the first k of `ranked`, 0 to 1."""
    return len(set(ranked[:k]) & set(wanted)) / len(wanted)


def reciprocal_rank(ranked: Sequence[str], wanted: Collection[str]) -> float:
    """Return 1 / rank of the first that is wanted, 0 where there is none."""
    return next((1 / rank for rank, key in enumerate(ranked, 1) if key in wanted), 0.0)


def ndcg(ranked: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return the normalised discounted cumulative gain of the first k, 0 to 1."""
    gain = sum(1 / math.log2(rank + 1) for rank, key in enumerate(ranked[:k], 1) if key in wanted)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return gain / best


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return sum(values) / len(values)


def interval(values: Sequence[float], resamples: int = RESAMPLES) -> tuple[float, float]:
    """Return the bounds within which the mean lies."""
    dice, size = random.Random(SEED), len(values)
    means = sorted(sum(dice.choices(values, k=size)) / size for _ in range(resamples))
    edge = (1 - LEVEL) / 2
    return means[int(edge * resamples)], means[min(resamples - 1, int((1 - edge) * resamples))]


def difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Return the mean paired difference and its bounds."""
    paired = [one - other for one, other in zip(ours, theirs, strict=True)]
    return mean(paired), interval(paired)
