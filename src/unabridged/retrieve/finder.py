"""The lexical index as search sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from unabridged.index.analysis.expression import plan_expression
from unabridged.index.analysis.plan import Plan
from unabridged.index.analysis.query import plan_query
from unabridged.index.analysis.spans import Needles, needles_of, spans
from unabridged.index.layout import LexicalFilter
from unabridged.index.lexical import LexicalIndex
from unabridged.retrieve.asked import Search
from unabridged.retrieve.rank import Candidate
from unabridged.retrieve.recent import Recent
from unabridged.schema.ids import Ordinal, ProjectId

PLANS = 256  # plans of queries remembered


@lru_cache(maxsize=PLANS)
def plan_of(query: str, expansion: tuple[str, ...], operators: bool) -> Plan:
    """Return the plan of a query with the terms that its asker adds; raise `InvalidInput` for a bad expression."""
    if operators:
        return plan_expression(query)
    return plan_query(" ".join((query, *expansion)) if expansion else query)


@lru_cache(maxsize=PLANS)
def _needles(query: str, expansion: tuple[str, ...], operators: bool) -> Needles:
    return needles_of(plan_of(query, expansion, operators))


class IndexFinder:
    """One opening of the index, how far it had come when it was last loaded, and what was admitted since."""

    def __init__(
        self, index: LexicalIndex, positions: Mapping[ProjectId, int], recent: Recent | None = None
    ) -> None:
        """Search `index`, which has the log up to `positions`, and `recent`."""
        self._index = index
        self._committed = positions
        self._recent = recent or Recent()

    @property
    def positions(self) -> Mapping[ProjectId, int]:
        """Log position up to which each project can be found."""
        found = dict(self._committed)
        for project in self._recent.projects():
            found[project] = self._recent.reached(project, found.get(project, 0))
        return found

    @property
    def committed(self) -> Mapping[ProjectId, int]:
        """Log position up to which the index itself has each project."""
        return self._committed

    def candidates(
        self, request: Search, projects: Sequence[ProjectId] | None, limit: int
    ) -> list[Candidate]:
        """Return the best windows, best first."""
        plan = plan_of(request.query, request.expansion, request.operators)
        if plan.empty:
            return []

        asked = where(request, projects)
        found = self._index.search(plan, asked, limit)
        found = self._recent.join(found, plan, self._index.state, asked, limit)
        return [
            Candidate(
                ProjectId(hit.project),
                Ordinal(hit.ordinal),
                hit.start,
                hit.end,
                hit.score,
                hit.exact,
                hit.coverage,
                hit.phrase,
                hit.fresh,
            )
            for hit in found
        ]

    def spans(self, request: Search, text: str) -> tuple[list[tuple[int, int]], list[str]]:
        """Return where the query's terms stand in a window (character offsets), and which of them do."""
        return spans(_needles(request.query, request.expansion, request.operators), text)


def where(request: Search, projects: Sequence[ProjectId] | None) -> LexicalFilter:
    """Return what a hit has to be; the archive checks every hit again, so this only has to leave out enough."""
    asked = request.filters
    return LexicalFilter(
        frozenset(projects or ()),
        frozenset((asked.session,)) if asked.session is not None else frozenset(),
        asked.roles,
        asked.kinds,
        asked.hosts,
        asked.tools,
        asked.path,
        asked.since,
        asked.until,
        asked.side,
    )
