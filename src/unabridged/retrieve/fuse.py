"""How ranked lists become one ranking.

Reciprocal rank fusion with k = 60 (Cormack, Clarke, Büttcher 2009): a place's score is the sum over lists of
weight / (60 + rank). Pure and deterministic; ties go to the lower ordinal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

K = 60  # of the fusion; larger flattens the difference between ranks

T = TypeVar("T", bound=tuple[object, ...])


def fuse(
    lists: Mapping[str, Sequence[T]], weights: Mapping[str, float]
) -> list[tuple[T, float, tuple[str, ...]]]:
    """Return (place, score, names of the lists that hold it), best first."""
    scores = dict[T, float]()
    sources = dict[T, list[str]]()
    for name in sorted(lists):
        for rank, place in enumerate(lists[name], 1):
            scores[place] = scores.get(place, 0.0) + weights.get(name, 1.0) / (K + rank)
            sources.setdefault(place, []).append(name)
    order = sorted(scores, key=lambda place: (-scores[place], place))
    return [(place, scores[place], tuple(sources[place])) for place in order]
