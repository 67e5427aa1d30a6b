"""What is asked of search and what it answers, with the index as search sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from unabridged.index.analysis.plan import Clause
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.timewords import Spoken
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import Event


@dataclass(frozen=True, slots=True)
class InHand:
    """What an asker works on: paths of files, and events by project and ordinal."""

    paths: frozenset[str] = frozenset()
    events: frozenset[tuple[ProjectId, int]] = frozenset()

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.paths or self.events)


@dataclass(frozen=True, slots=True)
class Search:
    """A search's request.

    expansion: words that its asker adds, which count less. in_hand, topic: what the asker works on and talks of, which
    decide between near-ties. holding: plain words of which a passage has to hold one. relation: a name of `relations`;
    only what stands in it is wanted, the latest first. times: what the question names, which decide between near-ties.
    question: what a cursor belongs to; empty: the query.
    """

    query: str
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    operators: bool = False
    cursor: str = ""
    explain: bool = False
    expansion: tuple[str, ...] = ()
    per_session: int = 0
    in_hand: InHand = field(default_factory=InHand)
    topic: str = ""
    semantic: str = "never"
    holding: frozenset[str] = frozenset()
    relation: str = ""
    times: tuple[Spoken, ...] = ()
    question: bytes = b""


@dataclass(slots=True)
class Found:
    """One hit before it is drawn: the event, the byte range in its text, and how it was found."""

    event: Event
    start: int
    end: int
    score: float
    band: str
    match: list[str]
    terms: list[str]
    text: str
    snippet: str
    margin: float = 0.0
    similar: int = 0
    cue: str | None = None  # the words that tell the relation, "" where none do; None: no relation was found


@dataclass(slots=True)
class Searched:
    """A search's answer."""

    status: str
    hits: list[Found]
    next: str
    account: dict[str, Any]
    explain: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Finder(Protocol):
    """The index as search sees it: one state, swapped as a whole."""

    @property
    def positions(self) -> Mapping[ProjectId, int]:
        """Log position up to which each project can be found."""
        ...

    def candidates(
        self, request: Search, projects: Sequence[ProjectId] | None, limit: int
    ) -> Sequence[Candidate]:
        """Return the best windows for a question, best first, of the given projects (None: all)."""
        ...

    def glanced(
        self, request: Search, projects: Sequence[ProjectId] | None, limit: int
    ) -> Sequence[Candidate]:
        """Return the best windows for a question's words, for who reads them all: what each holds is left open."""
        ...

    def newest(
        self, request: Search, projects: Sequence[ProjectId] | None, limit: int
    ) -> Sequence[Candidate]:
        """Return the newest windows that a request's filters and words let through, whatever it asks."""
        ...

    def frequencies(self, clauses: Sequence[Clause]) -> tuple[list[int], int]:
        """Return in about how many windows each clause stands, and how many windows there are."""
        ...

    def spans(self, request: Search, text: str) -> tuple[list[tuple[int, int]], list[str]]:
        """Return where the question's terms stand in a text (character offsets), and which they are."""
        ...
