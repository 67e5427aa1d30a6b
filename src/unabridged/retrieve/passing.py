"""An order in which a hit passes the one ahead of it only where a rule lets it: an insertion, step by step.

A rule compares neighbours and need not be transitive, as sorting wants it: a hit stops behind the first one that it may
not pass, whatever stands ahead of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from unabridged.retrieve.rank import Ranked

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Favoured:
    """A hit with the factor by which it is favoured (1: not at all); `evidence`: its own times that."""

    item: Ranked
    factor: float

    @property
    def evidence(self) -> float:
        """What a hit ahead may have at most, to be passed."""
        return self.item.evidence * self.factor


def passed(hits: Iterable[T], passes: Callable[[T, T], bool]) -> list[T]:
    """Return hits in order; `passes` tells whether one passes the one that stands right ahead of it."""
    order = list(hits)
    for start in range(1, len(order)):
        at = start
        while at and passes(order[at], order[at - 1]):
            order[at - 1], order[at] = order[at], order[at - 1]
            at -= 1
    return order


def by_favour(hits: Iterable[Favoured]) -> list[Ranked]:
    """Return hits with the favoured ones ahead of their near-ties; an exact name is passed by none that lacks it."""
    return [entry.item for entry in passed(hits, _passes)]


def _passes(entry: Favoured, ahead: Favoured) -> bool:
    if entry.factor <= ahead.factor or entry.item.stages["exact"] < ahead.item.stages["exact"]:
        return False
    return ahead.evidence <= entry.evidence
