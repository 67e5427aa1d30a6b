"""How a plan is carried out on one state of the lexical index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tantivy import DocAddress, Occur, Query

from unabridged.index import compiling
from unabridged.index.analysis.matching import deciding, has_clause
from unabridged.index.analysis.plan import Plan
from unabridged.index.layout import WORDS, LexicalFilter, key, split_place
from unabridged.index.scoring import (
    SMALL,
    WEIGHTS,
    Weighted,
    coverage,
    evened,
    phrase_bonus,
    telling,
    weigh,
    worth,
)
from unabridged.index.state import Part, Place, State

POSTINGS_MOST = 200_000  # entries read to find candidates; about 2 ms
RARE_LEAST = 2  # terms that may find candidates however frequent they are
TERMS_MOST = 24  # terms that find candidates
SPARE = 80  # candidates beyond the wanted ones: frequent terms, inflections and class weights reorder them
# The same of a brief look, which reads the few windows that it finds and weighs them itself.
BRIEF_POSTINGS, BRIEF_LEAST, BRIEF_SPARE = 30_000, 1, 16
MASK_BITS = 22  # terms told apart in one pass: a sum of powers of two is exact in the 24 bits of a score

Scored = tuple[float, DocAddress]
At = tuple[int, int]  # a segment and a number in it: an address that can be compared


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """One window that answers a query.

    `start` and `end` are byte offsets in the event's text. `score` orders hits: BM25 times the weight of the class,
    evened out by length, plus the bonus of phrases. `coverage` is the share of the query's weight (0-1) whose clauses
    the window satisfies, `exact` the score that the names which it holds whole can reach. `matched` are indexes of the
    plan's satisfied clauses, `worths` the most that each of them can add to a score.
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
    worths: tuple[float, ...] = ()
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
    start: int
    end: int
    phrase: bool = False


def glance(state: State, plan: Plan, where: LexicalFilter, limit: int) -> list[LexicalHit]:
    """Return the best hits by their rare words, for who reads them all: what each holds is not looked up."""
    narrowed = state.narrowed(where)
    weights = weigh(plan, state)
    kept = telling(weights, state.total)
    plan = replace(plan, clauses=tuple(plan.clauses[at] for at in kept))
    weights = [weights[at] for at in kept]
    picked = chosen(weights, BRIEF_POSTINGS, BRIEF_LEAST)
    found = _by_words(state, plan, weights, picked, narrowed, limit + BRIEF_SPARE)
    best = sorted((item for item in found if item.place[:2] not in where.exclude), key=_order)[:limit]
    (times,) = state.columns([item.address for item in best], "time")
    return [
        LexicalHit(*item.place, item.start, item.end, time, item.score)
        for item, time in zip(best, times, strict=True)
    ]


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
        found = [] if plan.strict else _by_words(state, scored, weights, chosen(weights), narrowed, wanted)
        if plan.phrases:
            found = _with_phrases(state, plan, found, narrowed, wanted)
    best = sorted((item for item in found if item.place[:2] not in where.exclude), key=_order)[:limit]
    return _hits(state, scored, weights, kept, best)


def chosen(
    weights: Iterable[Sequence[Weighted]], most: int = POSTINGS_MOST, least: int = RARE_LEAST
) -> list[Weighted]:
    """Return the terms that find candidates, the most telling first: at least so many, with at most so many entries.

    A frequent term costs as much as all others together and says least: it waits until candidates are there, unless
    there is hardly anything else.
    """
    kept, postings = list[Weighted](), 0
    for item in sorted(
        (item for clause in weights for item in clause), key=lambda item: (-item.most, item.term)
    ):
        if len(kept) < least or postings + item.frequency <= most:
            kept.append(item)
            postings += item.frequency
    return kept[:TERMS_MOST]


def _by_words(
    state: State,
    plan: Plan,
    weights: Sequence[Sequence[Weighted]],
    picked: Sequence[Weighted],
    narrowed: Sequence[Part],
    limit: int,
) -> list[_Found]:
    """Return windows that have any of the plan's terms: found by the picked ones, then scored by all."""
    if not picked:
        return []
    if state.total <= SMALL:
        return _run(state, compiling.scored(state, plan, weights), narrowed, limit)
    first = _best(state, compiling.any_term(state, picked), narrowed, limit)
    addresses = [address for _, address in first]
    (keys,) = state.columns(addresses, "key")
    known = dict(zip(map(_at, addresses), keys, strict=True))
    hits = _among(state, known, compiling.parts(state, plan, weights))
    return _found(state, hits, [known[_at(address)] for _, address in hits])


def _run(state: State, query: Query, narrowed: Sequence[Part], limit: int) -> list[_Found]:
    return _found(state, _best(state, query, narrowed, limit))


def _best(state: State, query: Query, narrowed: Sequence[Part], limit: int) -> list[Scored]:
    whole = Query.boolean_query([*narrowed, (Occur.Must, query)]) if narrowed else query
    return state.searcher.search(whole, limit, count=False).hits


def _among(state: State, windows: Mapping[At, int], parts: Sequence[tuple[int, Query]]) -> list[Scored]:
    """Return windows, given by their addresses with their keys, scored by the sum of the parts that they satisfy."""
    if not windows:
        return []
    query = compiling.among(state, windows.values(), parts)
    found = state.searcher.search(query, 2 * len(windows), count=False).hits
    # Another project's window may have the same key.
    return [(score, address) for score, address in found if _at(address) in windows]


def _at(address: DocAddress) -> At:
    return (address.segment_ord, address.doc)


def _found(state: State, hits: Sequence[Scored], keys: Sequence[int] | None = None) -> list[_Found]:
    addresses = [address for _, address in hits]
    places, average = state.places(addresses, keys), state.average(WORDS)
    (ranges,) = state.columns(addresses, "place")
    found = list[_Found]()
    for (score, address), (place, weight), packed in zip(hits, places, ranges, strict=True):
        start, end = split_place(packed)
        score *= WEIGHTS.get(weight, 1.0) * evened(end - start, average)
        found.append(_Found(score, place, address, start, end))
    return found


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


def _hits(
    state: State,
    plan: Plan,
    weights: Sequence[Sequence[Weighted]],
    kept: Sequence[int],
    found: Sequence[_Found],
) -> list[LexicalHit]:
    """Return the windows as hits; `kept` says which clauses of the whole plan those of `plan` are."""
    held = _held(state, plan, weights, {_at(item.address): key(*item.place) for item in found})
    (times,) = state.columns([item.address for item in found], "time")
    worths = [worth(items) for items in weights]
    hits = list[LexicalHit]()
    for item, terms, time in zip(found, held, times, strict=True):
        has = terms.__contains__
        matched = [at for at, clause in enumerate(plan.clauses) if weights[at] and has_clause(clause, has)]
        exact = sum(
            weights[at][0].most
            for at in matched
            if plan.clauses[at].kind == "name" and has(plan.clauses[at].forms[0].term)
        )
        hits.append(
            LexicalHit(
                *item.place,
                item.start,
                item.end,
                time,
                item.score,
                exact,
                coverage(plan, weights, matched),
                tuple(kept[at] for at in matched),
                tuple(worths[at] for at in matched),
                item.phrase,
            )
        )
    return hits


def _held(
    state: State, plan: Plan, weights: Sequence[Sequence[Weighted]], windows: Mapping[At, int]
) -> list[set[str]]:
    """Return which terms each window has, of those that decide whether it satisfies a clause of the plan.

    The windows are given by their addresses with their keys.

    Each term gives a power of two to the windows that have it; the sum that comes back as a score says which.
    """
    terms = dict[str, int]()
    for clause, items in zip(plan.clauses, weights, strict=True):
        for term in deciding(clause) if items else ():
            if frequency := state.frequency(term):
                terms[term] = frequency
    held = {at: set[str]() for at in windows}
    tests = list(terms.items())
    for first in range(0, len(tests), MASK_BITS):
        some = tests[first : first + MASK_BITS]
        parts = [
            (frequency, Query.const_score_query(state.present(term), float(1 << bit)))
            for bit, (term, frequency) in enumerate(some)
        ]
        for mask, address in _among(state, windows, parts):
            bits = int(mask)
            held[_at(address)].update(term for bit, (term, _) in enumerate(some) if bits >> bit & 1)
    return list(held.values())
