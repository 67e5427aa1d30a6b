"""Engine queries for the parts of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from tantivy import Occur, Query

from unabridged.index.analysis.matching import words_of
from unabridged.index.analysis.plan import All, Any, Clause, Node, Not, Phrase, Plan
from unabridged.index.scoring import Weighted
from unabridged.index.state import Part, State

_MUST, _SHOULD, _MUST_NOT = Occur.Must, Occur.Should, Occur.MustNot


def any_term(state: State, terms: Sequence[Weighted]) -> Query:
    """Return the query for windows with any of the terms, scored by their sum."""
    return Query.boolean_query([(_SHOULD, state.term(item.term, item.finding)) for item in terms])


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
