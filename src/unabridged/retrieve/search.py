"""From a question to the passages that answer it, with an account of how complete the answer is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

import msgspec

from unabridged.archive import log
from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.errors import InvalidCursor, InvalidInput, LimitExceeded, UnabridgedError
from unabridged.retrieve import likeness, locator, places
from unabridged.retrieve.context import Context
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.rank import Candidate, Ranked, rank
from unabridged.retrieve.snippet import excerpt
from unabridged.schema import tokens
from unabridged.schema.ids import Micros, Ordinal, ProjectId
from unabridged.schema.records import COUNTERS, EVENT, SUPERSESSION, TOMBSTONE, Counters, Event
from unabridged.schema.scope import Level

MAX_LIMIT = 100  # hits a page
MAX_OFFSET = 1_000  # hits that paging reaches
MAX_QUERY = 200_000  # characters looked at; the analysis takes the most telling terms of a longer paste
OVERFETCH = 4  # candidates fetched per hit wanted, since duplicates and hidden ones fall out
MIN_FETCH = 40

OK, EMPTY, BEHIND, PARTIAL, FAILED = "ok", "empty", "index-behind", "partial", "failed"


@dataclass(frozen=True, slots=True)
class Search:
    """A search's request."""

    query: str
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    operators: bool = False
    cursor: str = ""
    explain: bool = False
    expansion: tuple[str, ...] = ()
    per_session: int = 0


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


@dataclass(slots=True)
class Searched:
    """A search's answer."""

    status: str
    hits: list[Found]
    next: str
    account: dict[str, Any]
    explain: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


WindowText = Callable[
    [ProjectId, Ordinal, int, int], str
]  # project, event, byte range → text, "" where there is none


class Finder(Protocol):
    """The index as search sees it: one state, swapped as a whole."""

    @property
    def positions(self) -> Mapping[ProjectId, int]:
        """Log position up to which each project can be found."""
        ...

    def candidates(
        self, request: Search, projects: Sequence[ProjectId] | None, limit: int, text_of: WindowText
    ) -> Sequence[Candidate]:
        """Return the best windows for a question, best first, of the given projects (None: all).

        `text_of` reads a window, where the words of a phrase have to be seen in their order.
        """
        ...

    def spans(self, request: Search, text: str) -> tuple[list[tuple[int, int]], list[str]]:
        """Return where the question's terms stand in a text (character offsets), and which they are."""
        ...


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
        candidates = finder.candidates(request, _projects(context), wanted, partial(_window, context))
    except UnabridgedError as error:
        account["failed"] = {"lexical": error.code}
        return Searched(FAILED, [], "", account)
    kept, dropped = _visible(context, request, cursor, candidates)
    ranked = rank(kept, context.now)
    hits = _collapse(context, finder, request, ranked, cursor.offset + request.limit, dropped)
    page = hits[cursor.offset : cursor.offset + request.limit]
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


def _window(context: Context, project: ProjectId, ordinal: Ordinal, start: int, end: int) -> str:
    event = context.reader.get(EVENT, (project, ordinal))
    if event is None or not context.scope.allows(event.project, event.session):
        return ""
    try:
        return context.resolver.event_bytes(event)[start:end].decode("utf-8", "ignore")
    except UnabridgedError:
        return ""


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


def _visible(
    context: Context, request: Search, cursor: Cursor, candidates: Sequence[Candidate]
) -> tuple[list[tuple[Candidate, Event]], dict[str, int]]:
    """Return the candidates that the caller may see and has asked for; count the others by reason."""
    keys = [(candidate.project, candidate.event) for candidate in candidates]
    kept, dropped = list[tuple[Candidate, Event]](), dict[str, int]()
    for candidate, event in zip(candidates, context.reader.get_many(EVENT, keys), strict=True):
        reason = _reason(context, request, cursor, event)
        if event is not None and not reason:
            kept.append((candidate, event))
        elif reason != "scope":  # of a narrowed scope it is only said that it was narrowed
            dropped[reason] = dropped.get(reason, 0) + 1
    return kept, dropped


def _reason(context: Context, request: Search, cursor: Cursor, event: Event | None) -> str:
    if event is None:
        return "gone"
    if not context.scope.allows(event.project, event.session):
        return "scope"
    if not request.filters.allows(event):
        return "filters"
    head = cursor.heads.get(event.project)
    if head is not None and event.ordinal > head:
        return "newer"
    return _retirement(context, event)


def _retirement(context: Context, event: Event) -> str:
    """Tell whether an event has left normal search: retired itself or with its document, or replaced."""
    if context.reader.scan(TOMBSTONE, (event.project,), limit=1) and places.tombstone_of(
        context.reader, event
    ):
        return "retired"
    if event.host == NOTE_HOST:
        document = places.document_of(context.reader, event)
        if document is not None and context.reader.get(SUPERSESSION, (event.project, document.ordinal)):
            return "superseded"
    return ""


def _collapse(
    context: Context,
    finder: Finder,
    request: Search,
    ranked: Sequence[Ranked],
    wanted: int,
    dropped: dict[str, int],
) -> list[Found]:
    """Return hits, each with its near-duplicates collapsed into it; read no more texts than are needed."""
    hits, sketches, sessions = list[Found](), list[likeness.Sketch](), dict[bytes, int]()
    for item in ranked:
        if len(hits) > wanted:
            break
        event = item.event
        if request.filters.exclude and _is_visible(context, request, event):
            dropped["visible"] = dropped.get("visible", 0) + 1
            continue
        if request.per_session and sessions.get(event.session, 0) >= request.per_session:
            dropped["per_session"] = dropped.get("per_session", 0) + 1
            continue
        try:
            text = context.resolver.event_bytes(event)
        except UnabridgedError:
            dropped["unreadable"] = dropped.get("unreadable", 0) + 1
            continue
        window = text[item.start : item.end].decode("utf-8", "ignore")
        print_ = likeness.sketch(window)
        twin = next((at for at, other in enumerate(sketches) if likeness.near(print_, other)), None)
        if twin is not None:
            hits[twin].similar += 1
            continue
        sessions[event.session] = sessions.get(event.session, 0) + 1
        sketches.append(print_)
        hits.append(_found(context, finder, request, item, window))
    for hit, following in pairwise(hits):
        hit.margin = round(hit.score - following.score, 6)
    return hits


def _is_visible(context: Context, request: Search, event: Event) -> bool:
    """Tell whether the event stands in the asker's live window already."""
    return places.provenance(context.reader, event).source_key in request.filters.exclude


def _found(context: Context, finder: Finder, request: Search, item: Ranked, window: str) -> Found:
    spans, terms = finder.spans(request, window)
    safe, _ = context.redact(excerpt(window, spans))
    return Found(
        item.event,
        item.start,
        item.end,
        round(item.score, 6),
        item.band,
        list(item.match),
        terms,
        window,
        safe,
    )


def _explain(item: Ranked) -> dict[str, Any]:
    return {
        "event": item.event.id.hex(),
        "stages": dict(item.stages),
        "score": item.score,
        "match": list(item.match),
    }


def locate(context: Context, event: Event, start: int, end: int) -> tuple[str, str]:
    """Return the locator and the handle of a passage."""
    document = places.document_of(context.reader, event)
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
