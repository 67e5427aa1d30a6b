"""The final order of candidates: lexical evidence, meaning where it was asked, exact anchors, small priors.

Messages of one conversation support one another: what answers a question is often said in two of them.

Lexical and exact evidence are fused by reciprocal rank, so an exact anchor raises a passage softly and never switches
lexical search off. Recency and kind then order near-ties only: two passages whose lexical scores are within a few per
cent of each other. A clear winner is never overruled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.fuse import fuse, ranked
from unabridged.retrieve.support import Support, support
from unabridged.schema.ids import Micros
from unabridged.schema.records import SIDE, SUMMARY, Event

RECENCY_WEIGHT = 0.02  # at most; for something from this very moment
RECENCY_HALF = 30 * 86_400 * 1_000_000  # microseconds after which half of it is left
# Subagent and summary text stands a little behind what was said in the conversation itself.
SIDE_WEIGHT = -0.01
NEAR_TIE = 0.03  # relative lead in lexical score up to which a prior may decide
SEMANTIC = "semantic"  # how a message was found by its meaning
FEEDBACK = "feedback"  # how a message was found by words of the best ones
BESIDE = "beside"  # how a message was found that does not match itself
EXACT_WEIGHT = 0.5  # of the list of exact anchors in the fusion
EVIDENCE = ("lexical", "meaning", "feedback", "held", "beside", "wording")  # stages that are summed
HIGH, MODERATE, SOME = 0.75, 0.5, 0.25  # share of the query's weight found, from which on a band is given


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its final score and how it came about."""

    event: Event
    start: int
    end: int
    score: float
    band: str
    match: tuple[str, ...]
    stages: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def evidence(self) -> float:
        """Its own score, of words and meaning, with what it gains by its clauses and by what stands beside it."""
        return sum(self.stages.get(name, 0.0) for name in EVIDENCE)


def rank(candidates: Sequence[tuple[Candidate, Event]], now: Micros) -> list[Ranked]:
    """Return candidates in their final order, the best window of each event only."""
    by_place = dict[tuple[bytes, int, int], tuple[Candidate, Event]]()
    best = dict[tuple[bytes, int], tuple[Candidate, Event]]()
    for candidate, event in candidates:
        key = (bytes(candidate.project), int(candidate.event))
        held = best.get(key)
        if held is None or (candidate.score, -candidate.start) > (held[0].score, -held[0].start):
            best[key] = (candidate, event)
    for key, pair in best.items():
        by_place[(*key, pair[0].start)] = pair
    gained = support(list(best.values()))
    lexical = {place: pair[0].total + sum(gained[place[:2]]) for place, pair in by_place.items()}
    exact = {place: pair[0].exact for place, pair in by_place.items() if pair[0].exact > 0}
    ranks = {"lexical": ranked(lexical), "exact": ranked(exact)}
    fused = fuse(ranks, {"lexical": 1.0, "exact": EXACT_WEIGHT})
    fused.sort(key=lambda found: (-found[1], -lexical[found[0]], found[0]))
    return _settle(
        [_ranked(by_place[place], score, names, now, gained[place[:2]]) for place, score, names in fused]
    )


def _ranked(
    pair: tuple[Candidate, Event], score: float, names: tuple[str, ...], now: Micros, gained: Support
) -> Ranked:
    candidate, event = pair
    flags = {
        SEMANTIC: candidate.meant,
        FEEDBACK: bool(candidate.fed),
        "phrase": candidate.phrase,
        "fresh": candidate.fresh,
    }
    own = (*(names if candidate.score else ()), *(name for name, held in flags.items() if held))
    match = own or (BESIDE,)
    stages = {
        "lexical": round(candidate.score, 4),
        "meaning": round(candidate.meaning, 4),
        **({"feedback": round(candidate.fed, 4)} if candidate.fed else {}),
        "held": round(gained.held, 4),
        "beside": round(gained.beside, 4),
        "exact": round(candidate.exact, 4),
        "fused": round(score, 6),
        "prior": round(_prior(event, now), 4),
    }
    return Ranked(event, candidate.start, candidate.end, score, _band(candidate), match, stages)


def _prior(event: Event, now: Micros) -> float:
    age = max(0, now - event.time) if event.time else RECENCY_HALF * 8
    prior = RECENCY_WEIGHT * 0.5 ** (age / RECENCY_HALF)
    return prior + (SIDE_WEIGHT if event.flags & (SIDE | SUMMARY) else 0.0)


def _settle(order: list[Ranked]) -> list[Ranked]:
    """Let a larger prior pass neighbours whose evidence is nearly the same, never one that is clearly better."""
    for start in range(1, len(order)):
        at = start
        while at and _passes(order[at], order[at - 1]):
            order[at - 1], order[at] = order[at], order[at - 1]
            at -= 1
    return order


def _passes(item: Ranked, ahead: Ranked) -> bool:
    if item.stages["prior"] <= ahead.stages["prior"] or item.stages["exact"] < ahead.stages["exact"]:
        return False
    return ahead.evidence <= item.evidence * (1 + NEAR_TIE)


def _band(candidate: Candidate) -> str:
    if candidate.coverage >= HIGH:
        return "high"
    if candidate.coverage >= MODERATE:
        return "moderate"
    return "some" if candidate.coverage >= SOME else "low"
