"""How ranked lists become one ranking.

Reciprocal rank fusion with k = 60 (Cormack, Clarke, Büttcher 2009): a place's score is the sum over lists of
weight / (60 + rank). Pure and deterministic; ties go to the lower ordinal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

K = 60  # of the fusion; larger flattens the difference between ranks

T = TypeVar("T", bound=tuple[object, ...])


def fuse(
    ranks: Mapping[str, Mapping[T, int]], weights: Mapping[str, float]
) -> list[tuple[T, float, tuple[str, ...]]]:
    """Return (place, score, names of the lists that rank it), best first; ranks begin at 1, equals share one."""
    scores = dict[T, float]()
    sources = dict[T, list[str]]()
    for name in sorted(ranks):
        for place, rank in ranks[name].items():
            scores[place] = scores.get(place, 0.0) + weights.get(name, 1.0) / (K + rank)
            sources.setdefault(place, []).append(name)
    order = sorted(scores, key=lambda place: (-scores[place], place))
    return [(place, scores[place], tuple(sources[place])) for place in order]


def ranked(values: Mapping[T, float]) -> dict[T, int]:
    """Return the ranks of places by their values, the largest first; equals have the rank of the first of them."""
    ranks = dict[T, int]()
    last, rank = 0.0, 0
    for at, place in enumerate(sorted(values, key=lambda place: (-values[place], place)), 1):
        if not rank or values[place] != last:
            last, rank = values[place], at
        ranks[place] = rank
    return ranks
