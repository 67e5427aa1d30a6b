"""The newest windows of a state, whatever they say: for questions whose answer is the latest of its kind."""

from __future__ import annotations

from tantivy import Occur, Order, Query

from unabridged.index.layout import NOTE, TAGS, LexicalFilter
from unabridged.index.searching import LexicalHit
from unabridged.index.state import State


def newest(state: State, where: LexicalFilter, limit: int) -> list[LexicalHit]:
    """Return windows that pass a filter, the newest first, none of them scored.

    Those of one session are in the order of their admission, which its host's clock has no say in; others in that of
    their times, those without one last. Costs a walk through the columns of what passes, and no text.
    """
    windows = [(Occur.Must, Query.all_query()), (Occur.MustNot, state.tag(TAGS, NOTE))]
    query = Query.boolean_query(state.narrowed(where) or windows)
    column = "key" if where.sessions else "time"
    wanted = limit + len(where.exclude)
    found = state.searcher.search(query, wanted, count=False, order_by_field=column, order=Order.Desc).hits
    hits = [
        LexicalHit(*row.place, row.start, row.end, row.time, 0.0)
        for row in state.rows([address for _, address in found])
        if row.place[:2] not in where.exclude
    ]
    return in_order(hits, where)[:limit]


def in_order(hits: list[LexicalHit], where: LexicalFilter) -> list[LexicalHit]:
    """Return hits the newest first; those of one moment as they were admitted, the latest first."""
    if where.sessions:
        return sorted(hits, key=lambda hit: (hit.ordinal, hit.window, hit.project), reverse=True)
    return sorted(hits, key=lambda hit: (hit.time, hit.project, hit.ordinal, hit.window), reverse=True)
