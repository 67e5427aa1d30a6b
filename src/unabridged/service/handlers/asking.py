"""Questions: search, grep, recall."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import msgspec

from unabridged.archive import log as archive_log
from unabridged.archive.lineage import current_branch
from unabridged.errors import InvalidInput, UnabridgedError
from unabridged.retrieve import filters as narrowing
from unabridged.retrieve import grep as grepping
from unabridged.retrieve import recall as recalling
from unabridged.retrieve import relations
from unabridged.retrieve import search as searching
from unabridged.retrieve.context import Context
from unabridged.retrieve.page import scoped
from unabridged.retrieve.snippet import excerpt
from unabridged.service.caller import Call
from unabridged.service.handlers.favours import favoured
from unabridged.service.handlers.hits import place_of
from unabridged.service.handlers.sessions import session_in
from unabridged.service.requests import (
    Filters,
    GrepRequest,
    Hit,
    RecallAnswer,
    RecallRequest,
    SearchAnswer,
    SearchRequest,
)
from unabridged.service.retrieval import Retrieval
from unabridged.store.contract import Reader

KINDS = ("text", "tool-call", "tool-result", "image", "file", "reasoning", "compaction", "other")
ROLES = ("user", "assistant", "tool", "system", "other")
# Of a request, what may differ from one page of a question to the next. A scope that is named otherwise is the same.
_CHANGING = (
    *("limit", "cursor", "explain", "scope", "project", "semantic"),
    *("expansion", "working_set", "session_context"),
)
SEMANTIC = ("auto", "always", "never")
BRANCHES = ("all", "current")
GREP_CONTEXT = 400  # characters around a match that its snippet is cut from


def search(call: Call, request: SearchRequest) -> SearchAnswer:
    """Find passages. Any string is a valid query; an answer says how complete it is."""
    one_of("semantic", request.semantic, SEMANTIC)
    one_of("relation", request.relation, ("", *relations.NAMES))
    retrieval: Retrieval = call.services.retrieval
    with call.services.store.snapshot() as reader:
        context = context_of(call, reader, request.scope, request.project, request.filters.session)
        asked = searching.Search(
            request.query,
            request.limit,
            filters_of(call, reader, context, request.filters),
            request.operators,
            request.cursor,
            request.explain,
            per_session=request.per_session,
            semantic=request.semantic,
            relation=request.relation,
            question=_question(request),
        )
        asked = favoured(context, request, asked)
        context = replace(context, used=call.services.feedback.used())
        finder = retrieval.finder()
        if finder is None and not archive_log.projects(reader):
            return SearchAnswer(searching.EMPTY, [], "", {**scoped(context), "complete": True})
        if finder is None:
            account = {**scoped(context), "complete": False, "failed": {"lexical": "no-index"}}
            return SearchAnswer(searching.FAILED, [], "", account)
        found = searching.search(context, finder, asked)
        if found.status == searching.FAILED:
            call.services.index.distrust(str(found.account["failed"]["lexical"]))
        hits = [_hit(context, item, asked) for item in found.hits]
        call.services.feedback.shown(
            [(item.event.project, item.event.ordinal) for item in found.hits], call.now
        )
        return SearchAnswer(found.status, hits, found.next, found.account, found.explain)


def grep(call: Call, request: GrepRequest) -> SearchAnswer:
    """Find text by regular expression or literally, in log order."""
    with call.services.store.snapshot() as reader:
        context = context_of(call, reader, request.scope, request.project, request.filters.session)
        narrowed = filters_of(call, reader, context, request.filters)
        asked = grepping.Grep(
            request.pattern,
            request.literal,
            request.ignore_case,
            request.limit,
            narrowed,
            request.cursor,
            _question(request),
        )
        found = grepping.grep(context, asked)
        hits = [_match(context, item) for item in found.matches]
        return SearchAnswer(found.status, hits, found.next, found.account)


def recall(call: Call, request: RecallRequest) -> RecallAnswer:
    """Give an exact passage back, with its coordinates and what was left out."""
    with call.services.store.snapshot() as reader:
        context = context_of(call, reader, request.scope, request.project)
        asked = recalling.Recall(
            request.cursor or request.target,
            request.neighbors,
            request.max_tokens,
            request.envelope,
            request.whole,
        )
        found = recalling.recall(context, asked)
        if request.counts and found.of is not None:
            call.services.feedback.recalled(found.of, call.now)
        return msgspec.convert(found, RecallAnswer, from_attributes=True)


def told_by(request: msgspec.Struct, changing: Collection[str]) -> dict[str, Any]:
    """Return what a cursor's request must have in common with the one before."""
    said: dict[str, Any] = msgspec.to_builtins(request)
    return {name: value for name, value in said.items() if name not in changing}


def _question(request: SearchRequest | GrepRequest) -> bytes:
    return msgspec.json.encode(told_by(request, _CHANGING), order="sorted")


def context_of(call: Call, reader: Reader, scope: str, project: str, session: str = "") -> Context:
    """Return what a request asks with: the state, what its caller may see of it, the clock.

    A session that it names is a filter, and only where it asks for the scope of one a scope: it narrows what is looked
    at, and never widens what may be seen.
    """
    retrieval: Retrieval = call.services.retrieval
    granted = call.scope(reader, scope, project, session)
    context = retrieval.context(reader, granted, call.now, _cancelled(call))
    return replace(context, narrowed=call.narrows(scope))


def _cancelled(call: Call) -> Callable[[], bool]:
    def cancelled() -> bool:
        try:
            call.check()
        except UnabridgedError:
            return True
        return False

    return cancelled


def filters_of(call: Call, reader: Reader, context: Context, asked: Filters) -> narrowing.Filters:
    """Return what narrows a request; raise `InvalidInput` for a name that nothing has."""
    for kind in asked.kinds:
        one_of("kinds", kind, KINDS)
    for role in asked.roles:
        one_of("roles", role, ROLES)
    for host in asked.hosts:
        one_of("hosts", host, (*call.services.hosts, "note"))
    one_of("branch", asked.branch, BRANCHES)
    session = session_in(reader, context.scope, asked.session) if asked.session else None
    if asked.branch == "current" and session is None:
        raise InvalidInput(
            "`branch` needs a session", field="branch", hint="Name one with the session filter."
        )
    branch = current_branch(reader, session) if session is not None and asked.branch == "current" else None
    return narrowing.Filters(
        frozenset(asked.kinds),
        frozenset(asked.roles),
        frozenset(asked.tools),
        frozenset(asked.hosts),
        asked.path,
        narrowing.parse_time(asked.since, call.now, context.zone, "since"),
        narrowing.parse_time(asked.until, call.now, context.zone, "until", end=True),
        session.session if session is not None else context.scope.only,
        narrowing.excluded(asked.exclude),
        branch,
        asked.side,
        asked.superseded,
    )


def one_of(field: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise `InvalidInput` for a value that is not allowed."""
    if value not in allowed:
        raise InvalidInput(
            f"`{field}` cannot be {value[:40]!r}",
            hint=f"It takes: {', '.join(allowed)}.",
            field=field,
            allowed=list(allowed),
        )


def _hit(context: Context, found: searching.Found, asked: searching.Search) -> Hit:
    hit = place_of(context, found.event, found.start, found.end)
    return msgspec.structs.replace(
        hit,
        score=found.score,
        band=found.band,
        match=found.match,
        snippet=found.snippet,
        terms=found.terms,
        expanded=expanded(found.terms, asked),
        margin=found.margin,
        similar=found.similar,
        tokens=searching.cost(found.text),
        excerpt=context.redact(found.text)[0] if found.cue is not None else "",
        cue=found.cue or "",
    )


def expanded(terms: list[str], asked: searching.Search) -> list[str]:
    """Return which of the terms that stand in a hit come from those that were added to the question."""
    query, added = asked.query.lower(), " ".join(asked.expansion).lower()
    return [term for term in terms if term in added and term not in query] if added else []


def _match(context: Context, found: grepping.Match) -> Hit:
    text = found.text.decode()
    start, end = len(found.text[: found.start].decode()), len(found.text[: found.end].decode())
    around = max(0, start - GREP_CONTEXT)
    passage = text[around : end + GREP_CONTEXT]
    snippet, _ = context.redact(excerpt(passage, [(start - around, min(end - around, len(passage)))]))
    hit = place_of(context, found.event, found.start, found.end)
    return msgspec.structs.replace(hit, score=1.0, band="high", match=["pattern"], snippet=snippet)
