"""Evidence of several turns: gather, traverse."""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.archive import log as archive_log
from unabridged.retrieve import gather as gathering
from unabridged.retrieve import places, relations
from unabridged.retrieve import search as searching
from unabridged.retrieve import traverse as walking
from unabridged.retrieve.asked import Search
from unabridged.retrieve.context import Context
from unabridged.retrieve.evidence import Evidence as Given
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.page import scoped
from unabridged.service.caller import Call
from unabridged.service.handlers.asking import (
    KINDS,
    ROLES,
    SEMANTIC,
    context_of,
    expanded,
    filters_of,
    one_of,
    told_by,
)
from unabridged.service.handlers.favours import favoured
from unabridged.service.handlers.hits import place_of
from unabridged.service.requests import (
    Conflict,
    Evidence,
    GatherAnswer,
    GatherRequest,
    TraverseAnswer,
    TraverseRequest,
)
from unabridged.service.retrieval import Retrieval
from unabridged.store.contract import Reader

# Of a request, what may differ from one packet of a question to the next.
_CHANGING = (
    *("limit", "max_tokens", "max_evidence", "cursor", "explain", "semantic"),
    *("expansion", "working_set", "session_context"),
)


def gather(call: Call, request: GatherRequest) -> GatherAnswer:
    """Return exact evidence for a question, with what was said around it, in the order of time."""
    one_of("semantic", request.semantic, SEMANTIC)
    one_of("relation", request.relation, ("", *relations.NAMES))
    retrieval: Retrieval = call.services.retrieval
    with call.services.store.snapshot() as reader:
        context = context_of(call, reader, request.scope, request.project, request.filters.session)
        asked = _asked(call, reader, context, request)
        finder = retrieval.finder()
        if finder is None:
            return _without_index(context, reader)
        found = gathering.gather(context, finder, asked)
        if found.status == searching.FAILED:
            call.services.index.distrust(str(found.account["failed"]["lexical"]))
        evidence = [_evidence(context, item, asked.search) for item in found.evidence]
        conflicts = [
            Conflict(
                evidence[item.earlier].handle, evidence[item.later].handle, item.by, item.shared, item.cue
            )
            for item in found.conflicts
        ]
        return GatherAnswer(
            found.status, evidence, found.truncated, found.next, found.account, conflicts, found.explain
        )


def traverse(call: Call, request: TraverseRequest) -> TraverseAnswer:
    """Return a page of a conversation before and behind a place."""
    for kind in request.kinds:
        one_of("kinds", kind, KINDS)
    for role in request.roles:
        one_of("roles", role, ROLES)
    with call.services.store.snapshot() as reader:
        context = context_of(call, reader, request.scope, request.project)
        filters = Filters(kinds=frozenset(request.kinds), roles=frozenset(request.roles))
        asked = walking.Traverse(
            request.target, request.before, request.after, request.max_tokens, request.cursor, filters
        )
        found = walking.traverse(context, asked)
        steps = [_evidence(context, item, Search("")) for item in found.steps]
        if found.anchor is None:
            return TraverseAnswer(found.status, [], "", "", "", {"scope": context.scope.level.name.lower()})
        session = places.session_of(reader, found.anchor)
        return TraverseAnswer(
            found.status,
            steps,
            found.before,
            found.next,
            session.session.hex(),
            found.account,
            session.host,
            session.host_session,
            session.title,
        )


def _asked(call: Call, reader: Reader, context: Context, request: GatherRequest) -> gathering.Gather:
    search = Search(
        request.query,
        request.limit,
        filters_of(call, reader, context, request.filters),
        request.operators,
        explain=request.explain,
        semantic=request.semantic,
        relation=request.relation,
    )
    search = favoured(context, request, search)
    scope = context.scope
    who = (int(scope.level), scope.project.hex(), scope.session.hex())
    return gathering.Gather(
        search,
        request.intent,
        request.before,
        request.after,
        request.max_tokens,
        request.max_evidence,
        request.cursor,
        msgspec.json.encode((told_by(request, _CHANGING), who), order="sorted"),
    )


def _without_index(context: Context, reader: Reader) -> GatherAnswer:
    account: dict[str, Any] = scoped(context)
    if not archive_log.projects(reader):
        return GatherAnswer(searching.EMPTY, [], False, "", {**account, "complete": True})
    account |= {"complete": False, "failed": {"lexical": "no-index"}}
    return GatherAnswer(searching.FAILED, [], False, "", account)


def _evidence(context: Context, item: Given, asked: Search) -> Evidence:
    event, piece = item.event, item.piece
    hit = place_of(context, event, item.start, item.end)
    facts = {name: getattr(hit, name) for name in hit.__struct_fields__}
    facts |= {"text": item.text, "tokens": item.tokens, "hit": piece.rank, "distance": piece.distance}
    around = {"before": item.start, "after": event.size - item.end}
    facts["omitted"] = {side: count for side, count in around.items() if count}
    if piece.found is not None:
        found = piece.found
        facts |= {
            "score": found.score,
            "band": found.band,
            "match": found.match,
            "terms": found.terms,
            "expanded": expanded(found.terms, asked),
            "margin": found.margin,
            "similar": found.similar,
            "excerpt": context.redact(found.text)[0] if found.cue is not None else "",
            "cue": found.cue or "",
        }
    return Evidence(**facts)
