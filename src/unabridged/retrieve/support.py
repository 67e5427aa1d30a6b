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


class _One(NamedTuple):
    """A window: its key, its place where it was said, its speaker, its clauses as bits, its scores."""

    key: Key
    place: Place | None
    role: str
    clauses: int
    held: float
    own: float


class _Clauses:
    """The clauses of the question with what they are worth."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        found = dict[int, float]()
        for candidate, _ in pairs:
            for clause, worth in candidate.clauses:
                if worth > found.get(clause, 0.0):
                    found[clause] = worth
        self._worth = sorted((1 << clause, worth) for clause, worth in found.items())
        self._sums = dict[int, float]({0: 0.0})

    def worth(self, bits: int) -> float:
        """Return what clauses are worth together."""
        known = self._sums.get(bits)
        if known is None:
            known = self._sums[bits] = sum(worth for bit, worth in self._worth if bits & bit)
        return known


def support(pairs: Sequence[Pair]) -> dict[Key, Support]:
    """Return what each of the best windows of events gains; the best `POOL` messages are what it gains by."""
    clauses = _Clauses(pairs)
    all_of_them = [_one(candidate, event, clauses) for candidate, event in pairs]
    said = [one for one in all_of_them if one.place is not None]
    said.sort(key=lambda one: (one.held - one.own, one.key))
    by_place = {one.place: one for one in said[:POOL]}
    return {one.key: Support(one.held, _beside(one, by_place, clauses)) for one in all_of_them}


def _one(candidate: Candidate, event: Event, clauses: _Clauses) -> _One:
    bits = 0
    for clause, _ in candidate.clauses:
        bits |= 1 << clause
    held = HELD * clauses.worth(bits)
    place = place_of(event) if is_said(event) else None
    key = (bytes(event.project), int(event.ordinal))
    return _One(key, place, event.role, bits, held, candidate.total + held)


def _beside(one: _One, said: Mapping[Place | None, _One], clauses: _Clauses) -> float:
    """Return what a message gains by its surroundings: each clause that it lacks counts where it stands nearest."""
    if one.place is None:
        return 0.0
    project, session, seq = one.place
    known, counted, better = one.clauses, 0.0, one.own
    for step in range(1, REACH + 1):
        lacking = 0
        for at in (seq + step, seq - step):
            other = said.get((project, session, at))
            if other is not None:
                lacking |= other.clauses
                if step == 1 and other.role != one.role and other.own > better:
                    better = other.own
        lacking &= ~known
        if lacking:
            counted += FADE**step * clauses.worth(lacking)
            known |= lacking
    return AROUND * counted + NEARER * (better - one.own)
