"""From a query in the explicit query mode to a plan.

    expression := either ( OR either )*
    either     := part ( [AND] part )*
    part       := ( NOT | - ) part | ( expression ) | "phrase" | word

AND, OR and NOT are operators in capitals only. Words side by side must all be there. Nothing else is an operator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.index.analysis.phrase import phrase_of
from unabridged.index.analysis.plan import All, Any, Clause, Node, Not, Phrase, Plan
from unabridged.index.analysis.query import clauses_of

EXPRESSION_MOST = 4_096  # characters; an expression is written, not pasted
DEPTH_MOST = 32  # levels of parentheses and negations
_TOKEN = re.compile(
    r'\s*(?:(?P<sign>[()])|"(?P<phrase>[^"]*)"|(?P<minus>-)(?=[^\s()\-])|(?P<word>[^\s()"]+))'
)


class _Token(NamedTuple):
    kind: str  # "(", ")", "AND", "OR", "NOT", "word", "phrase", "end"
    text: str
    at: int


def plan_expression(text: str) -> Plan:
    """Return the plan for an expression; raise `InvalidInput` with the place of the first mistake."""
    if len(text) > EXPRESSION_MOST:
        raise LimitExceeded(
            "the expression is too long", field="query", limit=EXPRESSION_MOST, size=len(text)
        )
    parser = _Parser(list(_tokens(text)))
    root = parser.whole()
    clauses, phrases = list[Clause](), list[Phrase]()
    _collect(root, clauses, phrases)
    if not (clauses or phrases):
        raise InvalidInput("the expression only says what must not be there", field="query")
    return Plan(tuple(dict.fromkeys(clauses)), tuple(dict.fromkeys(phrases)), False, root)


def _tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if not found:
            raise InvalidInput("a quotation mark has no partner", field="query", at=text.index('"', at))
        kind = found.lastgroup or ""
        value, start = found[kind], found.start(kind)
        at = found.end()
        if kind == "sign" or (kind == "word" and value in ("AND", "OR", "NOT")):
            yield _Token(value, value, start)
        elif kind == "minus":
            yield _Token("NOT", value, start)
        else:
            yield _Token(kind, value, start)
    yield _Token("end", "", end)


class _Parser:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def whole(self) -> Node:
        root = self._expression()
        if self._next.kind != "end":
            raise self._wrong("a parenthesis has no partner")
        return root

    def _expression(self) -> Node:
        nodes = [self._either()]
        while self._next.kind == "OR":
            self._at += 1
            nodes.append(self._either())
        return nodes[0] if len(nodes) == 1 else Any(tuple(nodes))

    def _either(self) -> Node:
        nodes = [self._part()]
        while self._next.kind not in ("OR", ")", "end"):
            if self._next.kind == "AND":
                self._at += 1
            nodes.append(self._part())
        return nodes[0] if len(nodes) == 1 and not isinstance(nodes[0], Not) else All(tuple(nodes))

    def _part(self) -> Node:
        token = self._next
        self._at += 1
        if token.kind == "NOT":
            return Not(self._deeper(self._part))
        if token.kind == "(":
            node = self._deeper(self._expression)
            if self._next.kind != ")":
                raise self._wrong("a parenthesis has no partner")
            self._at += 1
            return node
        node = _leaf(token)
        if node is None:
            self._at -= 1
            raise self._wrong("there is nothing to look for")
        return node

    def _deeper(self, read: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > DEPTH_MOST:
            raise LimitExceeded("the expression is nested too deeply", field="query", limit=DEPTH_MOST)
        node = read()
        self._depth -= 1
        return node

    def _wrong(self, what: str) -> InvalidInput:
        return InvalidInput(what, field="query", at=self._next.at)


def _leaf(token: _Token) -> Node | None:
    if token.kind == "phrase":
        return phrase_of(token.text)
    if token.kind == "word":
        clauses = tuple(dict.fromkeys(clauses_of(token.text)))
        if len(clauses) == 1:
            return clauses[0]
        return All(clauses) if clauses else None
    return None


def _collect(node: Node, clauses: list[Clause], phrases: list[Phrase]) -> None:
    """Take what may be there, not what must not."""
    match node:
        case Clause():
            clauses.append(node)
        case Phrase():
            phrases.append(node)
        case All() | Any():
            for part in node.nodes:
                _collect(part, clauses, phrases)
        case Not():
            pass
