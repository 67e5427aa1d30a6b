"""From a question to the passages that answer it, with an account of how complete the answer is."""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.archive import log
from unabridged.errors import InvalidCursor, InvalidInput, LimitExceeded, UnabridgedError
from unabridged.retrieve import locator
from unabridged.retrieve.asked import Finder, Found, Search, Searched
from unabridged.retrieve.collapse import collapse, draw
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.rank import Ranked, rank
from unabridged.schema import tokens
from unabridged.schema.ids import Micros, Ordinal, ProjectId
from unabridged.schema.records import COUNTERS, Counters, Document, Event
from unabridged.schema.scope import Level

MAX_LIMIT = 100  # hits a page
MAX_OFFSET = 1_000  # hits that paging reaches
MAX_QUERY = 200_000  # characters looked at; the analysis takes the most telling terms of a longer paste
OVERFETCH = 4  # candidates fetched per hit wanted, since duplicates and hidden ones fall out
MIN_FETCH = 40

OK, EMPTY, BEHIND, PARTIAL, FAILED = "ok", "empty", "index-behind", "partial", "failed"


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """Which hits the next page begins behind, and the ordinals at which the first page saw each project end."""

    offset: int
    heads: dict[bytes, int]


def search(context: Context, finder: Finder, request: Search) -> Searched:
    """Return a page of hits; raise `InvalidInput`, `LimitExceeded` or `InvalidCursor` for a bad request.

    A failure of the index itself is a status, not an error: "not found" is never confused with "could not look".
    """
    _validate(request)
    cursor = _cursor(request)
    account = _account(context, finder)
    try:
        wanted = max(MIN_FETCH, (cursor.offset + request.limit) * OVERFETCH)
        candidates = finder.candidates(request, _projects(context), wanted)
    except InvalidInput:  # an expression that is not one
        raise
    except UnabridgedError as error:
        account["failed"] = {"lexical": error.code}
        return Searched(FAILED, [], "", account)
    kept, dropped = Eligibility(context, request.filters, cursor.heads).sift(candidates)
    ranked = rank(kept, context.now)
    hits = collapse(context, request, ranked, cursor.offset + request.limit, dropped)
    page = hits[cursor.offset : cursor.offset + request.limit]
    draw(context, finder, request, page)
    more = len(hits) > cursor.offset + request.limit or len(candidates) >= wanted
    account["considered"] = len(candidates)
    account["left_out"] = dropped
    status = _status(account, page)
    next_cursor = ""
    if more and page and cursor.offset + request.limit < MAX_OFFSET:
        heads = cursor.heads or dict[bytes, int](account["heads"])
        next_cursor = msgspec.msgpack.encode(Cursor(cursor.offset + request.limit, heads)).hex()
    account.pop("heads", None)
    explain = [_explain(item) for item in ranked[: request.limit]] if request.explain else []
    return Searched(status, page, next_cursor, account, explain)


def _validate(request: Search) -> None:
    if not 0 < request.limit <= MAX_LIMIT:
        raise InvalidInput("`limit` is out of range", field="limit", limit=MAX_LIMIT, value=request.limit)
    if len(request.query) > MAX_QUERY:
        raise LimitExceeded("the query is too long", field="query", limit=MAX_QUERY, size=len(request.query))
    if request.per_session < 0:
        raise InvalidInput("`per_session` is negative", field="per_session", value=request.per_session)


def _cursor(request: Search) -> Cursor:
    if not request.cursor:
        return Cursor(0, {})
    try:
        return msgspec.msgpack.decode(bytes.fromhex(request.cursor), type=Cursor)
    except (ValueError, msgspec.DecodeError) as error:
        raise InvalidCursor("the cursor is not valid", field="cursor") from error


def _projects(context: Context) -> list[ProjectId] | None:
    if context.scope.level is Level.ALL:
        return None
    return [context.scope.project, *sorted(context.scope.linked)]


def _account(context: Context, finder: Finder) -> dict[str, Any]:
    """Return how far the index is behind the log, for the projects in scope."""
    wanted = _projects(context)
    projects = [item.id for item in log.projects(context.reader)] if wanted is None else wanted
    behind, heads = 0, dict[bytes, int]()
    for project in projects:
        counters = context.reader.get(COUNTERS, (project,)) or Counters(project)
        heads[project] = counters.next_ordinal - 1
        behind += max(0, counters.next_position - 1 - finder.positions.get(project, 0))
    return {
        "scope": context.scope.level.name.lower(),
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
    place = locator.Place(
        event.project,
        event.ordinal,
        start,
        end,
        document.ordinal if document else Ordinal(0),
        document.version if document else 0,
        event.session,
        int(context.scope.level),
        context.generation,
        context.now,
        Micros(context.now + locator.LIFETIME),
    )
    return context.locators.sign(place), locator.handle_of(event.project, event.ordinal, start, end)


def cost(text: str) -> int:
    """Return what a passage costs a model to read, in estimated tokens."""
    return tokens.by_script(text.encode())
