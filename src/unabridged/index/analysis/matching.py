"""Whether a window satisfies what was asked for."""

from __future__ import annotations

from collections.abc import Callable

from unabridged.index.analysis.fields import Terms, analyse
from unabridged.index.analysis.names import is_name
from unabridged.index.analysis.phrase import holds
from unabridged.index.analysis.plan import All, Any, Clause, Node, Not, Phrase, Plan

Has = Callable[[str], bool]


def has_clause(clause: Clause, has: Has) -> bool:
    """Return whether a window that has certain terms satisfies a clause.

    One form of a word is enough, a run needs all of its pairs, a name its whole or else all of its words.
    """
    if clause.kind == "word":
        return any(has(form.term) for form in clause.forms)
    if clause.kind == "gram":
        return all(has(form.term) for form in clause.forms)
    if has(clause.forms[0].term):
        return True
    parts = words_of(clause)
    return bool(parts) and all(map(has, parts))


def deciding(clause: Clause) -> list[str]:
    """Return the terms that `has_clause` asks for."""
    if clause.kind == "name":
        return [clause.forms[0].term, *words_of(clause)]
    return [form.term for form in clause.forms]


def words_of(clause: Clause) -> list[str]:
    """Return the plain words of a name clause."""
    return [form.term for form in clause.forms[1:] if not is_name(form.term)]


def satisfies(node: Node, terms: Terms, has: Has) -> bool:
    """Return whether a window with certain terms satisfies an expression."""
    match node:
        case Clause():
            return has_clause(node, has)
        case Phrase():
            return holds(node, terms)
        case Not():
            return not satisfies(node.node, terms, has)
        case All():
            return all(satisfies(part, terms, has) for part in node.nodes)
        case Any():
            return any(satisfies(part, terms, has) for part in node.nodes)


def matches(plan: Plan, text: str) -> bool:
    """Return whether a text answers a plan at all, by the same rules as the index."""
    terms = analyse(text)
    has = frozenset((*terms.words.split(), *terms.names.split())).__contains__
    if plan.expression is not None:
        return satisfies(plan.expression, terms, has)
    if plan.strict:
        return all(holds(phrase, terms) for phrase in plan.phrases)
    return any(has(form.term) for clause in plan.clauses for form in clause.forms)
