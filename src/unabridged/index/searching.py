"""How a plan is carried out on one state of the lexical index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, cast

from tantivy import Occur, Query

from unabridged.index.analysis.matching import holds_all, matches, words_of
from unabridged.index.analysis.plan import All, Any, Clause, Node, Not, Phrase, Plan
from unabridged.index.layout import LexicalFilter, key
from unabridged.index.scoring import WEIGHTS, Weighted, coverage, phrase_bonus, weigh
from unabridged.index.state import Part, Place, Row, State

SMALL = 20_000  # windows; below that no term is too frequent to look at
COMMON = 0.2  # share of all windows; terms in more of them only refine the order of what rarer terms found
RARE_LEAST = 2  # rarer terms that there must be before common ones may wait
TERMS_MOST = 24  # terms that candidates are found by, the most telling first
REFINED_MOST = 96  # terms that candidates are ordered by
SPARE = 64  # candidates beyond the wanted ones, because refining and class weights reorder them
UNCHECKED_MOST = 400  # windows with all words of a phrase whose text is looked at
MASK_BITS = 22  # clauses told apart in one pass: a sum of powers of two is exact in the 24 bits of a score

_MUST, _SHOULD, _MUST_NOT = Occur.Must, Occur.Should, Occur.MustNot


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

    @property
    def order(self) -> tuple[float, bytes, int, int]:
        """What hits are sorted by: score, then place."""
        return (-self.score, *self.place)


class _Counted(Protocol):
    """The part of a search's result that the engine's stub leaves out."""

    count: int


TextOf = Callable[[LexicalHit], str]  # returns the text of a hit's window


@dataclass(frozen=True, slots=True)
class LexicalAnswer:
    """Hits in order, and how many windows with all words of a phrase were not looked at because there are too many."""

    hits: list[LexicalHit]
    unchecked: int = 0


def search(
    state: State, plan: Plan, where: LexicalFilter, limit: int, text_of: TextOf | None
) -> LexicalAnswer:
    """Return the best hits. Without `text_of` a phrase means all of its words, in any order."""
    narrowed = state.narrowed(where)
    wanted = limit + len(where.exclude)
    if plan.expression is not None:
        return _by_expression(state, plan, narrowed, where, limit, text_of)
    weights = weigh(plan, state)
    found, unchecked = dict[Place, LexicalHit](), 0
    if not plan.strict:
        found = {hit.place: hit for hit in _by_words(state, weights, narrowed, wanted + SPARE)}
    if plan.phrases:
        terms = list(dict.fromkeys(term for phrase in plan.phrases for term in phrase.terms))
        query = _all_terms(state, terms, narrowed)
        holding, unchecked = _checked(state, query, wanted, text_of, partial(holds_all, plan.phrases))
        bonus = phrase_bonus(plan.phrases, state)
        for hit in holding:
            held = found.get(hit.place, hit)
            found[hit.place] = replace(held, score=held.score + bonus, phrase=text_of is not None)
    hits = [hit for hit in found.values() if (hit.project, hit.ordinal) not in where.exclude]
    hits.sort(key=lambda hit: hit.order)
    return LexicalAnswer(_judged(state, plan, weights, hits[:limit]), unchecked)


def chosen(weights: Sequence[Sequence[Weighted]], total: int) -> list[Weighted]:
    """Return the terms that candidates are found by, the most telling first.

    In a large index a frequent term costs as much as all others together, and says least: it waits until candidates
    are there, unless there is hardly anything else.
    """
    ordered = sorted(
        (item for clause in weights for item in clause), key=lambda item: (-item.most, item.term)
    )
    if total > SMALL:
        rare = [item for item in ordered if item.frequency <= COMMON * total]
        if len(rare) >= RARE_LEAST:
            ordered = rare
    return ordered[:TERMS_MOST]


def _by_words(
    state: State, weights: Sequence[Sequence[Weighted]], narrowed: Sequence[Part], limit: int
) -> list[LexicalHit]:
    picked = chosen(weights, state.total)
    if not picked:
        return []
    found = state.searcher.search(_any_terms(state, picked, narrowed), limit, count=False).hits
    rows = state.rows([address for _, address in found])
    everything = sorted(
        (item for clause in weights for item in clause), key=lambda item: (-item.most, item.term)
    )
    if len(everything) == len(picked):
        return [_hit(row, score) for row, (score, _) in zip(rows, found, strict=True)]
    among = [(_MUST, state.keys(key(*row.place) for row in rows))]
    found = state.searcher.search(
        _any_terms(state, everything[:REFINED_MOST], among), 2 * limit, count=False
    ).hits
    wanted = {row.place for row in rows}
    rows = state.rows([address for _, address in found])
    return [_hit(row, score) for row, (score, _) in zip(rows, found, strict=True) if row.place in wanted]


def _any_terms(state: State, terms: Sequence[Weighted], narrowed: Sequence[Part]) -> Query:
    either = Query.boolean_query([(_SHOULD, state.term(item.term, item.factor)) for item in terms])
    return Query.boolean_query([*narrowed, (_MUST, either)]) if narrowed else either


def _all_terms(state: State, terms: Sequence[str], narrowed: Sequence[Part]) -> Query:
    return Query.boolean_query([*narrowed, *((_MUST, state.term(term)) for term in terms)])


def _hit(row: Row, score: float) -> LexicalHit:
    weighted = score * WEIGHTS.get(row.weight, 1.0)
    return LexicalHit(*row.place, row.start, row.end, row.time, weighted)


def _checked(
    state: State, query: Query, wanted: int, text_of: TextOf | None, accepts: Callable[[str], bool]
) -> tuple[list[LexicalHit], int]:
    """Return hits of a query whose text is accepted, and how many were not looked at."""
    most = wanted if text_of is None else UNCHECKED_MOST
    result = state.searcher.search(query, most, count=True)
    rows = state.rows([address for _, address in result.hits])
    hits = [_hit(row, score) for row, (score, _) in zip(rows, result.hits, strict=True)]
    if text_of is None:
        return hits, 0
    kept = list[LexicalHit]()
    for hit in hits:
        if len(kept) == wanted:
            return kept, 0  # as many as were asked for are there
        if accepts(text_of(hit)):
            kept.append(hit)
    return kept, int(cast("_Counted", result).count) - len(hits)


def _by_expression(
    state: State,
    plan: Plan,
    narrowed: Sequence[Part],
    where: LexicalFilter,
    limit: int,
    text_of: TextOf | None,
) -> LexicalAnswer:
    assert plan.expression is not None
    query = Query.boolean_query([*narrowed, (_MUST, _compiled(state, plan.expression))])
    wanted = limit + len(where.exclude)
    checked = text_of if plan.phrases else None
    hits, unchecked = _checked(state, query, wanted + SPARE, checked, lambda text: matches(plan, text))
    hits = [hit for hit in hits if (hit.project, hit.ordinal) not in where.exclude]
    hits.sort(key=lambda hit: hit.order)
    return LexicalAnswer(_judged(state, plan, weigh(plan, state), hits[:limit]), unchecked)


def _compiled(state: State, node: Node) -> Query:
    match node:
        case Clause():
            return _clause(state, node)
        case Phrase():
            return Query.boolean_query([(_MUST, state.term(term)) for term in node.terms])
        case Any():
            return Query.boolean_query([(_SHOULD, _compiled(state, part)) for part in node.nodes])
        case All():
            parts = [
                (_MUST_NOT, _compiled(state, part.node))
                if isinstance(part, Not)
                else (_MUST, _compiled(state, part))
                for part in node.nodes
            ]
            return Query.boolean_query(parts)
        case Not():
            return Query.empty_query()


def _clause(state: State, clause: Clause) -> Query:
    """Return the query for windows that satisfy a clause, scored by the forms that they have."""
    if clause.kind == "gram":
        return Query.boolean_query([(_MUST, state.term(form.term)) for form in clause.forms])
    if clause.kind == "word":
        forms = [(_SHOULD, state.term(form.term, form.weight)) for form in clause.forms]
        return Query.boolean_query(forms)
    either = [(_SHOULD, state.term(clause.forms[0].term))]
    if parts := words_of(clause):
        either.append((_SHOULD, Query.boolean_query([(_MUST, state.term(part)) for part in parts])))
    return Query.boolean_query(either)


def _judged(
    state: State, plan: Plan, weights: Sequence[Sequence[Weighted]], hits: list[LexicalHit]
) -> list[LexicalHit]:
    """Return the hits with what they satisfy of the plan.

    Each clause gives a power of two to the windows that satisfy it; the sum that comes back as a score says which.
    """
    if not hits or not plan.clauses:
        return hits
    tests = [_clause(state, clause) for clause in plan.clauses]
    names = [at for at, clause in enumerate(plan.clauses) if clause.kind == "name"]
    tests += [state.term(plan.clauses[at].forms[0].term) for at in names]
    held = {hit.place: set[int]() for hit in hits}
    among = state.keys({key(*hit.place) for hit in hits})
    for first in range(0, len(tests), MASK_BITS):
        part = tests[first : first + MASK_BITS]
        flags = [(_SHOULD, Query.const_score_query(test, float(1 << bit))) for bit, test in enumerate(part)]
        found = state.searcher.search(
            Query.boolean_query([(_MUST, among), *flags]), 2 * len(hits), count=False
        ).hits
        for row, (mask, _) in zip(state.rows([address for _, address in found]), found, strict=True):
            if row.place in held:
                held[row.place].update(first + bit for bit in range(len(part)) if int(mask) >> bit & 1)
    judged = list[LexicalHit]()
    for hit in hits:
        matched = tuple(sorted(at for at in held[hit.place] if at < len(plan.clauses)))
        whole = [names[at - len(plan.clauses)] for at in held[hit.place] if at >= len(plan.clauses)]
        exact = sum(weights[at][0].most for at in whole)
        judged.append(replace(hit, matched=matched, coverage=coverage(plan, weights, matched), exact=exact))
    return judged
