"""From a question to the passages that answer it, with an account of how complete the answer is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unabridged.errors import IndexError_, InvalidInput, LimitExceeded, UnabridgedError
from unabridged.retrieve import feedback, judging, leading, locator, meaning, ordering, structural
from unabridged.retrieve import page as paging
from unabridged.retrieve.asked import Finder, Found, Search, Searched
from unabridged.retrieve.candidate import POOL
from unabridged.retrieve.collapse import collapse, draw
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.page import Page, scoped
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.signing import signed
from unabridged.schema import tokens
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import COUNTERS, Counters, Document, Event
from unabridged.schema.scope import Level

MAX_LIMIT = 100  # hits a page
MAX_OFFSET = 1_000  # hits that paging reaches
MAX_QUERY = 200_000  # characters looked at; the analysis takes the most telling terms of a longer paste
# Candidates fetched per hit wanted, since duplicates and hidden ones fall out; then so much more.
OVERFETCH = 4
MOST_FETCH = 4 * (MAX_OFFSET + MAX_LIMIT)  # candidates looked at, however much of them is the same

OK, EMPTY, BEHIND, PARTIAL, FAILED = "ok", "empty", "index-behind", "partial", "failed"


def search(
    context: Context, finder: Finder, request: Search, heads: Mapping[bytes, int] | None = None
) -> Searched:
    """Return a page of hits; raise `InvalidInput`, `LimitExceeded` or `InvalidCursor` for a bad request.

    `heads`: last ordinals of projects behind which nothing counts, for who pages by other means. A failure of the index
    itself is a status, not an error: "not found" is never confused with "could not look".
    """
    _validate(request)
    cursor = Page(heads=dict(heads or {}))
    if request.cursor:
        cursor = paging.read(context, _question(request), request.cursor)
    account = _account(context, finder)
    end = cursor.offset + request.limit
    try:
        if request.relation:
            return _related(context, finder, request, cursor, account)
        request, lead = leading.lead(context, finder, request, _projects(context), cursor.heads)
        found = _look(context, finder, request, lead, cursor.heads, end)
    except (_IndexFailed, IndexError_) as failure:
        account["failed"] = {"lexical": failure.code}
        return Searched(FAILED, [], "", account)
    account.update(lead.account)
    found.hits = lead.before(found.hits)
    page = found.hits[cursor.offset : end]
    draw(context, finder, request, [hit for hit in page if hit.cue is None])
    account["considered"] = found.considered
    account["left_out"] = found.dropped
    account.update(found.told)
    status = _status(account, page)
    next_cursor = ""
    if (len(found.hits) > end or not found.all) and page and end < MAX_OFFSET:
        heads = cursor.heads or dict[bytes, int](account["heads"])
        next_cursor = paging.write(context, _question(request), Page(end, heads=heads))
    account.pop("heads", None)
    explain = [_explain(item) for item in found.ranked[: request.limit]] if request.explain else []
    if request.explain:
        explain = [*lead.explain(), *explain]
    return Searched(status, page, next_cursor, account, explain)


def _related(
    context: Context, finder: Finder, request: Search, cursor: Page, account: dict[str, Any]
) -> Searched:
    """Return a page of what stands in the relation that is asked for, the latest first, and nothing else."""
    end = cursor.offset + request.limit
    looked = structural.given(context, finder, request, _projects(context), cursor.heads, end)
    page = looked.found[cursor.offset : end]
    heads = cursor.heads or dict[bytes, int](account.pop("heads"))
    account.pop("heads", None)
    account |= {"left_out": looked.left_out, "relation": looked.account}
    following = ""
    if len(looked.found) > end and end < MAX_OFFSET:
        following = paging.write(context, _question(request), Page(end, heads=heads))
    explain = [structural.explained(hit) for hit in page] if request.explain else []
    return Searched(_status(account, page), page, following, account, explain)


class _IndexFailed(Exception):
    """The index could not be searched; `code` is the error's."""

    def __init__(self, error: UnabridgedError) -> None:
        super().__init__(error.code)
        self.code = error.code


@dataclass(slots=True)
class _Looked:
    """What a look into the index gave; `all`: it has no further candidates."""

    ranked: list[Ranked]
    hits: list[Found]
    dropped: dict[str, int]
    considered: int
    all: bool
    told: dict[str, Any]  # what the account says of meaning and of feedback


def _look(
    context: Context,
    finder: Finder,
    request: Search,
    lead: leading.Lead,
    heads: Mapping[bytes, int],
    end: int,
) -> _Looked:
    """Return at least `end` hits and one, or all there are; candidates that turn out to be the same cost more looks."""
    eligible = Eligibility(context, request.filters, heads)
    fetch = max(meaning.BESIDE_MEANING if meaning.is_wanted(context, request) else POOL, end * OVERFETCH)
    meant: meaning.Meant | None = None
    fed: feedback.Fed | None = None
    judge: judging.Judging | None = None
    while True:
        try:
            candidates = finder.candidates(request, _projects(context), fetch)
        except InvalidInput:  # an expression that is not one
            raise
        except UnabridgedError as error:
            raise _IndexFailed(error) from error
        meant = meant or meaning.consult(context, request, _projects(context), candidates)
        if fed is None:
            fed = feedback.feed_back(context, finder, request, _projects(context), eligible, candidates)
        blocks = ordering.blocks(candidates, meant, lead.then, fed)
        judge = judge or judging.Judging(context, request.query, meant.is_asked)
        ranked, dropped = ordering.order(context, finder, request, eligible, blocks, judge)
        hits = collapse(context, request, ranked, end, dropped)
        complete = len(candidates) < fetch
        if complete or len(hits) > end or fetch >= MOST_FETCH:
            told = {**meant.account, **judge.account, **({"feedback": list(fed.words)} if fed.words else {})}
            return _Looked(ranked, hits, dropped, len(candidates), complete, told)
        fetch *= OVERFETCH


def _validate(request: Search) -> None:
    if not 0 < request.limit <= MAX_LIMIT:
        raise InvalidInput("`limit` is out of range", field="limit", limit=MAX_LIMIT, value=request.limit)
    if len(request.query) > MAX_QUERY:
        raise LimitExceeded("the query is too long", field="query", limit=MAX_QUERY, size=len(request.query))
    structural.check(request)
    if request.per_session < 0:
        raise InvalidInput("`per_session` is negative", field="per_session", value=request.per_session)


def _question(request: Search) -> bytes:
    """Return what a cursor is of."""
    if request.question:
        return request.question
    return "\0".join((request.query, request.relation, str(request.operators))).encode(
        "utf-8", "surrogatepass"
    )


def _projects(context: Context) -> list[ProjectId] | None:
    if context.scope.level is Level.ALL:
        return None
    return [context.scope.project, *sorted(context.scope.linked)]


def _account(context: Context, finder: Finder) -> dict[str, Any]:
    """Return how far the index is behind the log, for the projects in scope."""
    projects = paging.projects_in(context)
    behind, heads = 0, dict[bytes, int]()
    for project in projects:
        counters = context.reader.get(COUNTERS, (project,)) or Counters(project)
        heads[project] = counters.next_ordinal - 1
        behind += max(0, counters.next_position - 1 - finder.positions.get(project, 0))
    return {
        **scoped(context),
        "projects": len(projects),
        "behind": behind,
        "complete": behind == 0,
        "heads": heads,
    }


def _status(account: dict[str, Any], page: list[Found]) -> str:
    if account["behind"]:
        return BEHIND
    if account["left_out"].get("unreadable"):
        return PARTIAL
    return OK if page else EMPTY


def _explain(item: Ranked) -> dict[str, Any]:
    return {
        "event": item.event.id.hex(),
        "stages": dict(item.stages),
        "score": item.score,
        "match": list(item.match),
    }


def locate(
    context: Context, event: Event, document: Document | None, start: int, end: int
) -> tuple[str, str]:
    """Return the locator and the handle of a passage of an event, `document` being what holds it."""
    handle = locator.handle_of(event.project, event.ordinal, start, end)
    return signed(context, event, document, start, end), handle


def cost(text: str) -> int:
    """Return the `max_tokens` with which a recall gives the whole passage."""
    return tokens.strict(text.encode())
