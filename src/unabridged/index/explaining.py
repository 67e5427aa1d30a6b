"""How a hit's score came about."""

from __future__ import annotations

import json
from typing import Any

from tantivy import DocAddress, Occur, Query

from unabridged.index.analysis.plan import Plan
from unabridged.index.layout import TAGS, WORDS, key, project_tag
from unabridged.index.scoring import WEIGHTS, Weighted, evened, phrase_bonus, weigh
from unabridged.index.searching import LexicalHit
from unabridged.index.state import State, detail


def explain(state: State, plan: Plan, hit: LexicalHit) -> dict[str, Any]:
    """Return the parts of a committed hit's score: each term's BM25 with its numbers, the class weight, the bonus."""
    exact = Query.term_query(state.schema, "key", key(*hit.place), "basic")
    query = Query.boolean_query(
        [(Occur.Must, state.tag(TAGS, project_tag(hit.project))), (Occur.Must, exact)]
    )
    found = state.searcher.search(query, 1, count=False).hits
    if not found:
        return {"found": False}
    (row,) = state.rows([found[0][1]])
    terms = [
        {"clause": plan.clauses[at].source, **said}
        for at, clause in enumerate(weigh(plan, state))
        for item in clause
        if (said := _term(state, item, found[0][1]))
    ]
    return {
        "found": True,
        "windows": state.total,
        "terms": terms,
        "class_weight": WEIGHTS.get(row.weight, 1.0),
        "length_factor": round(evened(row.end - row.start, state.average(WORDS)), 4),
        "phrase_bonus": round(phrase_bonus(plan.phrases, state), 4) if hit.phrase else 0.0,
        "score": round(hit.score, 4),
        "coverage": round(hit.coverage, 4),
        "exact": round(hit.exact, 4),
    }


def _term(state: State, item: Weighted, address: DocAddress) -> dict[str, Any] | None:
    query = state.term(item.term)
    among = Query.boolean_query([(Occur.Must, query)])
    try:
        explained = json.loads(among.explain(state.searcher, address).to_json())
    except ValueError:  # the window does not have the term
        return None
    return {
        "term": item.term,
        "windows": item.frequency,
        "count": int(detail(explained, "freq, ")),
        "length": int(detail(explained, "dl, ")),
        "average_length": round(detail(explained, "avgdl"), 1),
        "rarity": round(detail(explained, "idf"), 4),
        "factor": round(item.factor, 4),
        "score": round(item.factor * float(explained["value"]), 4),
    }
