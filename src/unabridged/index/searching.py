"""How a plan is carried out on one state of the lexical index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tantivy import DocAddress, Occur, Query

from unabridged.index import compiling
from unabridged.index.analysis.plan import Plan
from unabridged.index.layout import LexicalFilter, key
from unabridged.index.scoring import SMALL, WEIGHTS, Weighted, coverage, phrase_bonus, telling, weigh
from unabridged.index.state import Part, Place, State

POSTINGS_MOST = 300_000  # entries read to find candidates; about 3 ms
RARE_LEAST = 2  # terms that may find candidates however frequent they are
TERMS_MOST = 24  # terms that find candidates
SPARE = 40  # candidates beyond the wanted ones: frequent terms, inflections and class weights reorder them
MASK_BITS = 22  # clauses told apart in one pass: a sum of powers of two is exact in the 24 bits of a score


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """One window that answers a query.

    `start` and `end` are byte offsets in the event's text. `score` orders hits: BM25 times the class weight, plus the
    bonus of phrases. `coverage` is the share of the query's weight (0-1) whose clauses the window satisfies, `exact`
    the score that the names which it holds whole can reach. `matched` are indexes of the plan's satisfied clauses.
    """

    project: bytes
    ordinal: int
    window: int
    start: int
    end: int
    time: int
    score: float
    exact: float = 0.0
    coverage: float = 0.0
    matched: tuple[int, ...] = ()
    phrase: bool = False  # it holds every phrase of the plan
    fresh: bool = False  # from the tail that is not committed yet

    @property
    def place(self) -> Place:
        """What names the window."""
        return (self.project, self.ordinal, self.window)


class _Found(NamedTuple):
    """A window that may become a hit."""

    score: float
    place: Place
    address: DocAddress
    phrase: bool = False


def search(state: State, plan: Plan, where: LexicalFilter, limit: int) -> list[LexicalHit]:
    """Return the best hits."""
    narrowed = state.narrowed(where)
    wanted = limit + SPARE + len(where.exclude)
    weights = weigh(plan, state)
    kept = telling(weights, state.total)
    scored = replace(plan, clauses=tuple(plan.clauses[at] for at in kept))
    weights = [weights[at] for at in kept]
    if plan.expression is not None:
        found = _run(state, compiling.expression(state, plan.expression), narrowed, wanted)
    else:
        found = [] if plan.strict else _by_words(state, scored, weights, narrowed, wanted)
        if plan.phrases:
            found = _with_phrases(state, plan, found, narrowed, wanted)
    best = sorted((item for item in found if item.place[:2] not in where.exclude), key=_order)[:limit]
    judged = _judged(state, scored, weights, _hits(state, best))
    return [replace(hit, matched=tuple(kept[at] for at in hit.matched)) for hit in judged]


def chosen(weights: Iterable[Sequence[Weighted]]) -> list[Weighted]:
    """Return the terms that find candidates, the most telling first.

    A frequent term costs as much as all others together and says least: it waits until candidates are there, unless
    there is hardly anything else.
    """
    kept, postings = list[Weighted](), 0
    for item in sorted(
        (item for clause in weights for item in clause), key=lambda item: (-item.most, item.term)
    ):
        if len(kept) < RARE_LEAST or postings + item.frequency <= POSTINGS_MOST:
            kept.append(item)
            postings += item.frequency
    return kept[:TERMS_MOST]


def _by_words(
    state: State, plan: Plan, weights: Sequence[Sequence[Weighted]], narrowed: Sequence[Part], limit: int
) -> list[_Found]:
    """Return windows that have any of the plan's terms: found by the telling ones, then scored by all."""
    picked = chosen(weights)
    if not picked:
        return []
    everything = compiling.scored(state, plan, weights)
    if state.total <= SMALL:
        return _run(state, everything, narrowed, limit)
    first = _run(state, compiling.any_term(state, picked), narrowed, limit)
    places = {item.place for item in first}
    among: list[Part] = [(Occur.Must, state.keys(key(*place) for place in places))]
    return [item for item in _run(state, everything, among, 2 * limit) if item.place in places]


def _run(state: State, query: Query, narrowed: Sequence[Part], limit: int) -> list[_Found]:
    whole = Query.boolean_query([*narrowed, (Occur.Must, query)]) if narrowed else query
    return _found(state, state.searcher.search(whole, limit, count=False).hits)


def _found(state: State, hits: Sequence[tuple[float, DocAddress]]) -> list[_Found]:
    places = state.places([address for _, address in hits])
    return [
        _Found(score * WEIGHTS.get(weight, 1.0), place, address)
        for (score, address), (place, weight) in zip(hits, places, strict=True)
    ]


def _with_phrases(
    state: State, plan: Plan, found: Sequence[_Found], narrowed: Sequence[Part], limit: int
) -> list[_Found]:
    """Return windows with those that hold every phrase of the plan added or raised."""
    query = Query.boolean_query([(Occur.Must, compiling.phrase(state, phrase)) for phrase in plan.phrases])
    bonus = phrase_bonus(plan.phrases, state)
    places = {item.place: item for item in found}
    for item in _run(state, query, narrowed, limit):
        held = places.get(item.place, item)
        places[item.place] = held._replace(score=held.score + bonus, phrase=True)
    return list(places.values())


def _order(item: _Found) -> tuple[float, Place]:
    return (-item.score, item.place)


def _hits(state: State, found: Sequence[_Found]) -> list[LexicalHit]:
    rows = state.rows([item.address for item in found])
    return [
        LexicalHit(*item.place, row.start, row.end, row.time, item.score, phrase=item.phrase)
        for item, row in zip(found, rows, strict=True)
    ]


def _judged(
    state: State, plan: Plan, weights: Sequence[Sequence[Weighted]], hits: list[LexicalHit]
) -> list[LexicalHit]:
    """Return the hits with what they satisfy of the plan.

    Each clause gives a power of two to the windows that satisfy it; the sum that comes back as a score says which.
    """
    if not hits or not plan.clauses:
        return hits
    tests = [
        (at, 0, compiling.satisfying(state, clause)) for at, clause in enumerate(plan.clauses) if weights[at]
    ]
    tests += [
        (at, 1, state.term(clause.forms[0].term))
        for at, clause in enumerate(plan.clauses)
        if clause.kind == "name" and weights[at] and weights[at][0].term == clause.forms[0].term
    ]
    held = {hit.place: (set[int](), set[int]()) for hit in hits}  # satisfied clauses, names held whole
    among: Part = (Occur.Must, state.keys({key(*hit.place) for hit in hits}))
    for first in range(0, len(tests), MASK_BITS):
        part = tests[first : first + MASK_BITS]
        flags = [
            (Occur.Should, Query.const_score_query(test, float(1 << bit)))
            for bit, (_, _, test) in enumerate(part)
        ]
        found = state.searcher.search(Query.boolean_query([among, *flags]), 2 * len(hits), count=False).hits
        places = state.places([address for _, address in found])
        for (mask, _), (place, _) in zip(found, places, strict=True):
            if place in held:
                for bit, (at, which, _) in enumerate(part):
                    if int(mask) >> bit & 1:
                        held[place][which].add(at)
    return [
        replace(
            hit,
            matched=tuple(sorted(held[hit.place][0])),
            coverage=coverage(plan, weights, held[hit.place][0]),
            exact=sum(weights[at][0].most for at in sorted(held[hit.place][1])),
        )
        for hit in hits
    ]
