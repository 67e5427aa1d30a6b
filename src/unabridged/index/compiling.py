"""Engine queries for the parts of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from tantivy import Occur, Query

from unabridged.index.analysis.matching import words_of
from unabridged.index.analysis.plan import All, Any, Clause, Node, Not, Phrase, Plan, has_phrase
from unabridged.index.scoring import Weighted
from unabridged.index.state import Part, State

_MUST, _SHOULD, _MUST_NOT = Occur.Must, Occur.Should, Occur.MustNot


def any_term(state: State, terms: Sequence[Weighted]) -> Query:
    """Return the query for windows with any of the terms, scored by their sum."""
    return Query.boolean_query([(_SHOULD, state.term(item.term, item.finding)) for item in terms])


def all_terms(state: State, terms: Sequence[str]) -> Query:
    """Return the query for windows with all of the terms."""
    return Query.boolean_query([(_MUST, state.term(term)) for term in terms])


def scored(state: State, plan: Plan, weights: Sequence[Sequence[Weighted]]) -> Query:
    """Return the query that scores by every clause. The forms of a word are one word: the best one counts."""
    parts = list[Part]()
    for clause, items in zip(plan.clauses, weights, strict=True):
        terms = [state.term(item.term, item.factor) for item in items]
        if clause.kind == "word" and len(terms) > 1:
            parts.append((_SHOULD, Query.disjunction_max_query(terms)))
        else:
            parts += [(_SHOULD, term) for term in terms]
    return Query.boolean_query(parts)


def satisfying(state: State, clause: Clause) -> Query:
    """Return the query for windows that satisfy a clause (`analysis.matching.has_clause`)."""
    if clause.kind == "gram":
        return all_terms(state, [form.term for form in clause.forms])
    if clause.kind == "word":
        forms = [form for form in clause.forms if state.frequency(form.term)]
        return Query.boolean_query([(_SHOULD, state.term(form.term, form.weight)) for form in forms])
    either = [(_SHOULD, state.term(clause.forms[0].term))]
    if parts := words_of(clause):
        either.append((_SHOULD, all_terms(state, parts)))
    return Query.boolean_query(either)


def expression(state: State, node: Node, checked: bool) -> Query:
    """Return the query for windows that satisfy an expression, or, with `checked`, for all that may.

    The index cannot tell that a window lacks a phrase, only that it lacks a word of it: with `checked` such windows
    stay in, for their text to decide.
    """
    match node:
        case Clause():
            return satisfying(state, node)
        case Phrase():
            return all_terms(state, node.terms)
        case Any():
            return Query.boolean_query([(_SHOULD, expression(state, part, checked)) for part in node.nodes])
        case All():
            return Query.boolean_query(_conjunction(state, node.nodes, checked))
        case Not():
            return Query.empty_query()


def _conjunction(state: State, nodes: Sequence[Node], checked: bool) -> list[Part]:
    parts = list[Part]()
    for node in nodes:
        if not isinstance(node, Not):
            parts.append((_MUST, expression(state, node, checked)))
        elif not (checked and has_phrase(node)):
            parts.append((_MUST_NOT, expression(state, node.node, checked)))
    return parts
