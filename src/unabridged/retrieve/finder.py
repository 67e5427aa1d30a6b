"""The lexical index as search sees it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from unabridged.index.analysis.letters import normal
from unabridged.index.analysis.plan import Plan
from unabridged.index.analysis.query import plan_query
from unabridged.index.layout import LexicalFilter
from unabridged.index.lexical import LexicalIndex
from unabridged.index.searching import LexicalHit
from unabridged.retrieve.rank import Candidate
from unabridged.retrieve.search import Search, WindowText
from unabridged.schema.ids import Ordinal, ProjectId

MAX_SPANS = 400  # places marked in one window
MAX_MARKED = 64  # terms marked in a window
PLANS = 256  # plans of queries remembered

_WORD = re.compile(r"\w+", re.UNICODE)


@lru_cache(maxsize=PLANS)
def plan_of(query: str, expansion: tuple[str, ...]) -> Plan:
    """Return the plan of a query with the terms that its asker adds."""
    return plan_query(" ".join((query, *expansion)) if expansion else query)


class IndexFinder:
    """One opening of the index, and how far it had come when it was last loaded."""

    def __init__(self, index: LexicalIndex, positions: Mapping[ProjectId, int]) -> None:
        """Search `index`, which has the log up to `positions`."""
        self._index = index
        self.positions = positions

    def candidates(
        self, request: Search, projects: Sequence[ProjectId] | None, limit: int, text_of: WindowText
    ) -> list[Candidate]:
        """Return the best windows, best first."""
        plan = plan_of(request.query, request.expansion)
        if plan.empty:
            return []

        def text(hit: LexicalHit) -> str:
            return text_of(ProjectId(hit.project), Ordinal(hit.ordinal), hit.start, hit.end)

        found = self._index.search(plan, where(request, projects), limit, text)
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
            for hit in found.hits
        ]

    def spans(self, request: Search, text: str) -> tuple[list[tuple[int, int]], list[str]]:
        """Return where the query's terms stand in a window (character offsets), and which of them do."""
        plan = plan_of(request.query, request.expansion)
        marks = _marks(plan)
        lowered = text.casefold() if len(text.casefold()) == len(text) else text.lower()
        if len(lowered) != len(text):
            lowered = text
        spans, terms = list[tuple[int, int]](), list[str]()
        for source, forms in marks[:MAX_MARKED]:
            here = [span for form in forms for span in _places(lowered, form)]
            if here:
                terms.append(source)
                spans.extend(here)
            if len(spans) > MAX_SPANS:
                break
        return spans[:MAX_SPANS], terms


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


def _marks(plan: Plan) -> list[tuple[str, list[str]]]:
    """Return each clause's source and the forms by which it is seen in a text, the most telling first."""
    found = list[tuple[str, list[str]]]()
    for clause in sorted(plan.clauses, key=lambda item: (-item.weight, item.source)):
        forms = [clause.source] + [form.term for form in clause.forms]
        found.append((clause.source, list(dict.fromkeys(form.casefold() for form in forms if form))))
    found.extend((phrase.source, [normal(phrase.source).casefold()]) for phrase in plan.phrases)
    return found


def _places(text: str, form: str) -> list[tuple[int, int]]:
    """Return where a form stands as a word of its own (scripts without spaces: anywhere)."""
    spans, at = list[tuple[int, int]](), text.find(form)
    while at >= 0 and len(spans) < 8:
        end = at + len(form)
        inside = form.isascii() and (
            (at > 0 and form[0].isalnum() and text[at - 1].isalnum())
            or (end < len(text) and form[-1].isalnum() and text[end].isalnum())
        )
        if not inside:
            spans.append((at, end))
        at = text.find(form, end)
    return spans
