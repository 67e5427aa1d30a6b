"""Engine queries for the parts of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tantivy import Occur, Query

from unabridged.index.analysis.matching import words_of
from unabridged.index.analysis.plan import All, Any, Clause, Node, Not, Phrase, Plan
from unabridged.index.scoring import Weighted
from unabridged.index.state import State

SELDOM = 1_000  # postings up to which a term is read sooner than looked up

_MUST, _SHOULD, _MUST_NOT = Occur.Must, Occur.Should, Occur.MustNot


def any_term(state: State, terms: Sequence[Weighted]) -> Query:
    """Return the query for windows with any of the terms, scored by their sum."""
    return Query.boolean_query([(_SHOULD, state.term(item.term, item.finding)) for item in terms])


def scored(state: State, plan: Plan, weights: Sequence[Sequence[Weighted]]) -> Query:
    """Return the query for windows with any of the terms, scored as `parts` says."""
    return Query.boolean_query([(_SHOULD, query) for _, query in parts(state, plan, weights)])


def parts(state: State, plan: Plan, weights: Sequence[Sequence[Weighted]]) -> list[tuple[int, Query]]:
    """Return what adds to a window's score, each with its number of postings.

    The forms of a word are one word: the best one counts.
    """
    found = list[tuple[int, Query]]()
    for clause, items in zip(plan.clauses, weights, strict=True):
        terms = [(item.frequency, state.term(item.term, item.factor)) for item in items]
        if clause.kind == "word" and len(terms) > 1:
            best = Query.disjunction_max_query([term for _, term in terms])
            found.append((sum(frequency for frequency, _ in terms), best))
        else:
            found += terms
    return found


def among(state: State, keys: Iterable[int], parts: Sequence[tuple[int, Query]]) -> Query:
    """Return the query for windows by their keys, scored by the sum of the parts that they satisfy.

    The engine reads a union wherever it goes, between the windows that are asked for too. So each frequent part is
    optional beside all others, which has it looked up in those windows only.
    """
    looked_up = state.everything
    if seldom := [(_SHOULD, query) for frequency, query in parts if frequency < SELDOM]:
        looked_up = Query.boolean_query([(_MUST, looked_up), (_SHOULD, Query.boolean_query(seldom))])
    for frequency, query in parts:
        if frequency >= SELDOM:
            looked_up = Query.boolean_query([(_MUST, looked_up), (_SHOULD, query)])
    return Query.boolean_query([(_MUST, state.keys(keys)), (_MUST, looked_up)])


def satisfying(state: State, clause: Clause) -> Query:
    """Return the query for windows that satisfy a clause (`analysis.matching.has_clause`), without a score."""
    if clause.kind == "gram":
        return _all_present(state, [form.term for form in clause.forms])
    if clause.kind == "word":
        forms = [form.term for form in clause.forms if state.frequency(form.term)]
        return Query.boolean_query([(_SHOULD, state.present(form)) for form in forms])
    either = [(_SHOULD, state.present(clause.forms[0].term))]
    if parts := words_of(clause):
        either.append((_SHOULD, _all_present(state, parts)))
    return Query.boolean_query(either)


def _all_present(state: State, terms: Sequence[str]) -> Query:
    return Query.boolean_query([(_MUST, state.present(term)) for term in terms])


def _scoring(state: State, clause: Clause) -> Query:
    return Query.boolean_query(
        [(_SHOULD, state.term(form.term, form.weight * clause.weight)) for form in clause.forms]
    )


def phrase(state: State, wanted: Phrase) -> Query:
    """Return the query for windows that hold a phrase."""
    return Query.boolean_query([(_MUST, state.phrase(part)) for part in wanted.parts])


def expression(state: State, node: Node) -> Query:
    """Return the query for windows that satisfy an expression."""
    match node:
        case Clause():
            return Query.boolean_query([(_MUST, satisfying(state, node)), (_SHOULD, _scoring(state, node))])
        case Phrase():
            return phrase(state, node)
        case Any():
            return Query.boolean_query([(_SHOULD, expression(state, part)) for part in node.nodes])
        case All():
            parts = [
                (_MUST_NOT, expression(state, part.node))
                if isinstance(part, Not)
                else (_MUST, expression(state, part))
                for part in node.nodes
            ]
            return Query.boolean_query(parts)
        case Not():
            return Query.empty_query()
