"""The lexical index as search sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from unabridged.index.analysis.plan import Clause, Plan
from unabridged.index.analysis.spans import Needles, needles_of, spans
from unabridged.index.layout import LexicalFilter
from unabridged.index.lexical import LexicalIndex
from unabridged.index.scoring import coverage, telling, weigh
from unabridged.index.searching import LexicalHit
from unabridged.index.state import State
from unabridged.retrieve.asked import Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.planning import PLANS, plan_of
from unabridged.retrieve.rank import HIGH
from unabridged.retrieve.recent import Fresh, Recent
from unabridged.schema.ids import Ordinal, ProjectId

BEHIND = 0.95  # of the best hit that has the question's own words: the most that one without them can score


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
        self._fresh = Fresh(self._recent)

    def keep(self) -> None:
        """Hold for good what was admitted so far: a newer opening has it, and it is about to be dropped."""
        self._fresh.keep()

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
        fresh = self._fresh.held()  # before the index is looked at: see `Tail.held`
        found = self._index.search(plan, asked, limit)
        found = fresh.join(found, plan, self._index.state, asked, limit)
        if request.expansion and not request.operators:
            found = self._tempered(found, plan, plan_of(request.query, (), False))
        return [_candidate(hit) for hit in found]

    def glanced(self, request: Search, projects: Sequence[ProjectId] | None, limit: int) -> list[Candidate]:
        """Return the best windows for a question's words, for who reads them all: what each holds is left open."""
        plan = plan_of(request.query, (), False)
        if not plan.clauses:
            return []
        asked = where(request, projects)
        fresh = self._recent.held()
        found = self._index.search(plan, asked, limit, brief=True)
        return [_candidate(hit) for hit in fresh.join(found, plan, self._index.state, asked, limit)]

    def newest(self, request: Search, projects: Sequence[ProjectId] | None, limit: int) -> list[Candidate]:
        """Return the newest windows, the newest first."""
        asked = where(request, projects)
        fresh = self._fresh.held()
        return [_candidate(hit) for hit in fresh.join_newest(self._index.newest(asked, limit), asked, limit)]

    def _tempered(self, found: list[LexicalHit], plan: Plan, own: Plan) -> list[LexicalHit]:
        """Return hits of a widened plan with the share of the question itself that they cover.

        Those that lack much of the question stay behind the best one that has it.
        """
        if not own.clauses:
            return found
        state, count = self._index.state, len(own.clauses)
        weights = weigh(plan, state)
        kept = [at for at in telling(weights, state.total) if at < count]
        asked = replace(own, clauses=tuple(own.clauses[at] for at in kept))
        places = {at: place for place, at in enumerate(kept)}
        shares = [
            coverage(asked, [weights[at] for at in kept], [places[at] for at in hit.matched if at in places])
            for hit in found
        ]
        winner = max(
            (hit.score for hit, share in zip(found, shares, strict=True) if share >= HIGH), default=0.0
        )
        tempered = [
            replace(
                hit,
                coverage=share,
                score=min(hit.score, winner * BEHIND) if winner and share < HIGH else hit.score,
            )
            for hit, share in zip(found, shares, strict=True)
        ]
        return sorted(tempered, key=lambda hit: (-hit.score, hit.place))

    def frequencies(self, clauses: Sequence[Clause]) -> tuple[list[int], int]:
        """Return in about how many windows of the index each clause stands, and how many windows there are."""
        state = self._index.state
        return [frequency_of(state, clause) for clause in clauses], state.total

    def spans(self, request: Search, text: str) -> tuple[list[tuple[int, int]], list[str]]:
        """Return where the query's terms stand in a window (character offsets), and which of them do."""
        return spans(_needles(request.query, request.expansion, request.operators), text)


def _candidate(hit: LexicalHit) -> Candidate:
    return Candidate(
        ProjectId(hit.project),
        Ordinal(hit.ordinal),
        hit.start,
        hit.end,
        hit.score,
        hit.exact,
        hit.coverage,
        hit.phrase,
        hit.fresh,
        tuple(zip(hit.matched, hit.worths, strict=True)),
    )


def frequency_of(state: State, clause: Clause) -> int:
    """Return about how many windows satisfy a clause: by a word's forms together, by a name's whole."""
    forms = clause.forms if clause.kind == "word" else clause.forms[:1]
    return min(state.total, sum(state.frequency(form.term) for form in forms))


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
        words=request.holding,
    )
