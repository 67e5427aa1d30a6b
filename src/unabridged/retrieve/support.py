"""What a message gains by what it holds of the question, and by what was said around it.

A question's words are often spread over an exchange: one asks with some of them, the other answers with the rest, and a
third message says what both speak of. So a message counts a part of what its surroundings hold of the question that it
lacks itself, and comes nearer to a better message that it answers, or that answers it. It never passes that one for it:
several messages of one speaker that resemble each other say no more together than the best of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from unabridged.retrieve.candidate import POOL, Candidate
from unabridged.retrieve.said import Place, is_said, place_of
from unabridged.schema.records import Event

HELD = 0.25  # of the most that a clause can add to a score, for holding it at all
AROUND = 0.3  # the same, where a message near it holds it
NEARER = 0.3  # of the lead of the other speaker's better message beside it, by which a message gets nearer
REACH = 4  # messages before and behind, whose clauses count
FADE = 0.95  # of what a clause counts, a message further away

Pair = tuple[Candidate, Event]
Key = tuple[bytes, int]  # project, ordinal


class Support(NamedTuple):
    """What is added to a message's own score: for the clauses that it holds, and for what stands beside it."""

    held: float
    beside: float


class _Said(NamedTuple):
    """A message among the best: its speaker, its clauses as bits, its score with what they count."""

    role: str
    clauses: int
    own: float


class _Clauses:
    """The clauses of the question with what they are worth."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._worth = dict[int, float]()
        for candidate, _ in pairs:
            for clause, worth in candidate.clauses:
                self._worth[clause] = max(worth, self._worth.get(clause, 0.0))
        self._sums = dict[int, float]({0: 0.0})

    def worth(self, bits: int) -> float:
        """Return what clauses are worth together."""
        known = self._sums.get(bits)
        if known is None:
            known = sum(worth for clause, worth in sorted(self._worth.items()) if bits >> clause & 1)
            self._sums[bits] = known
        return known


def support(pairs: Sequence[Pair]) -> dict[Key, Support]:
    """Return what each of the best windows of events gains; the best `POOL` messages are what it gains by."""
    clauses = _Clauses(pairs)
    order = sorted(pairs, key=lambda pair: (-pair[0].total, pair[1].project, pair[1].ordinal))
    said = dict[Place, _Said]()
    for candidate, event in [pair for pair in order if is_said(pair[1])][:POOL]:
        own = candidate.total + HELD * clauses.worth(candidate.bits)
        said[place_of(event)] = _Said(event.role, candidate.bits, own)
    gained = dict[Key, Support]()
    for candidate, event in pairs:
        held = HELD * clauses.worth(candidate.bits)
        beside = 0.0
        if is_said(event):
            beside = _around(candidate, event, said, clauses)
            beside += NEARER * max(0.0, _answered(event, said) - candidate.total - held)
        gained[bytes(candidate.project), int(candidate.event)] = Support(held, beside)
    return gained


def _around(candidate: Candidate, event: Event, said: Mapping[Place, _Said], clauses: _Clauses) -> float:
    """Return what counts of the clauses that a message lacks and others near it hold, each where it is nearest."""
    project, session, seq = place_of(event)
    known, counted = candidate.bits, 0.0
    for step in range(1, REACH + 1):
        lacking = 0
        for at in (seq + step, seq - step):
            if (other := said.get((project, session, at))) is not None:
                lacking |= other.clauses & ~known
        if lacking:
            counted += FADE**step * clauses.worth(lacking)
            known |= lacking
    return AROUND * counted


def _answered(event: Event, said: Mapping[Place, _Said]) -> float:
    """Return what the better one of the other speaker's messages beside it has."""
    project, session, seq = place_of(event)
    beside = (said.get((project, session, at)) for at in (seq + 1, seq - 1))
    return max((other.own for other in beside if other is not None and other.role != event.role), default=0.0)
