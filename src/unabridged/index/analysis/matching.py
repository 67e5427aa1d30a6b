"""Whether a window satisfies what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unabridged.index.analysis.fields import analyse
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


def words_of(clause: Clause) -> list[str]:
    """Return the plain words of a name clause."""
    return [form.term for form in clause.forms[1:] if form.term.isalnum() and form.term.islower()]


def satisfies(node: Node, has: Has, text: str) -> bool:
    """Return whether a window satisfies an expression; phrases are looked for in its text."""
    match node:
        case Clause():
            return has_clause(node, has)
        case Phrase():
            return all(map(has, node.terms)) and holds(node.tokens, text)
        case Not():
            return not satisfies(node.node, has, text)
        case All():
            return all(satisfies(part, has, text) for part in node.nodes)
        case Any():
            return any(satisfies(part, has, text) for part in node.nodes)


def holds_all(phrases: Sequence[Phrase], text: str) -> bool:
    """Return whether a text holds every phrase."""
    return all(holds(phrase.tokens, text) for phrase in phrases)


def matches(plan: Plan, text: str) -> bool:
    """Return whether a text answers a plan at all, by the same rules as the index."""
    has = frozenset(analyse(text).split()).__contains__
    if plan.expression is not None:
        return satisfies(plan.expression, has, text)
    if plan.strict:
        return holds_all(plan.phrases, text)
    return any(has(form.term) for clause in plan.clauses for form in clause.forms)
