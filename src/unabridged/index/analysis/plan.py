"""What to look for: the values that a query becomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["word", "name", "gram"]


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which a clause can match, and how much that counts beside the clause's best way (1.0)."""

    term: str
    weight: float


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that was asked for, with the forms that it may have.

    A word has itself, then its inflections, which stand for the same word: together they count as one word that is as
    rare as all of them. A name has its whole, the names inside it, and its words; each counts on its own. A gram
    clause has the pairs of a run.
    """

    kind: Kind
    source: str  # as it stands in the query, normalised
    forms: tuple[Form, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that must follow each other, in one or more parts that may stand apart."""

    source: str
    parts: tuple[tuple[str, ...], ...]

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms, each once."""
        return tuple(dict.fromkeys(term for part in self.parts for term in part))


@dataclass(frozen=True, slots=True)
class Not:
    """Matches what its node does not; only beside a node that matches something."""

    node: Node


@dataclass(frozen=True, slots=True)
class All:
    """Matches what every node matches."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """Matches what any node matches."""

    nodes: tuple[Node, ...]


Node = Clause | Phrase | Not | All | Any


@dataclass(frozen=True, slots=True)
class Plan:
    """A query, analysed. Equal queries give equal plans.

    Without an `expression` any clause may match, the more the better, and phrases count extra; a query of nothing but
    phrases (`strict`) wants all of them.
    """

    clauses: tuple[Clause, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    strict: bool = False
    expression: Node | None = None
    omitted: int = field(default=0)  # characters of the query, or clauses, beyond what a plan holds

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for: no word, name, picture or character of a known script."""
        return not (self.clauses or self.phrases or self.expression)
