"""Lines of the archive that match a regular expression, in the order of the log.

Patterns are RE2, so no pattern can take more than linear time. A call looks at a bounded amount of text and gives a
cursor to go on with; what it has not looked at is said in the account.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import re2

from unabridged.errors import InvalidInput, InvalidPattern, LimitExceeded, UnabridgedError
from unabridged.retrieve import page as paging
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.page import Page, scoped
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import COUNTERS, ECHO, EVENT, HIDDEN, Event

MAX_PATTERN = 4_096  # characters
MAX_LIMIT = 1_000  # matches an answer
BATCH = 256  # events read at once
TEXT_A_CALL = 64 << 20  # bytes of text one call looks at
EVENTS_A_CALL = 50_000  # events one call looks at
PATTERN_MEMORY = 8 << 20  # bytes a compiled pattern may take


@dataclass(frozen=True, slots=True)
class Grep:
    """A grep's request."""

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    limit: int = 50
    filters: Filters = field(default_factory=Filters)
    cursor: str = ""
    question: bytes = b""  # what a cursor belongs to; empty: the pattern and how it is read


@dataclass(frozen=True, slots=True)
class Match:
    """One match: the event and the byte range in its text."""

    event: Event
    text: bytes
    start: int
    end: int


@dataclass(slots=True)
class Grepped:
    """A grep's answer: matches, whether everything was looked at, and the cursor to go on with."""

    status: str
    matches: list[Match]
    next: str
    account: dict[str, Any]


def grep(context: Context, request: Grep) -> Grepped:
    """Return matches in log order; raise `InvalidPattern`, `InvalidInput` or `InvalidCursor` for a bad request."""
    pattern = _compile(request)
    cursor = _cursor(context, request)
    found, looked, size, unreadable = list[Match](), 0, 0, 0
    last, eligible = cursor, Eligibility(context, request.filters, {})
    for project in sorted(cursor.heads):
        if project < cursor.project:
            continue
        at = cursor.ordinal if project == cursor.project else 0
        for event in _events(context, ProjectId(project), at, cursor.heads[project]):
            last = Page(project=project, ordinal=event.ordinal, heads=cursor.heads)
            if not _has_text(event) or eligible.reason(event):
                continue
            looked += 1
            size += event.size
            try:
                text = context.resolver.event_bytes(event)
            except UnabridgedError:
                unreadable += 1
                continue
            match = pattern.search(text)
            if match is not None:
                found.append(Match(event, text, match.start(), match.end()))
            if (
                len(found) >= request.limit
                or size > TEXT_A_CALL
                or looked >= EVENTS_A_CALL
                or context.cancelled()
            ):
                following = paging.write(context, _question(request), last)
                return _answer(context, found, looked, unreadable, following)
    return _answer(context, found, looked, unreadable, "")


def _answer(context: Context, found: list[Match], looked: int, unreadable: int, following: str) -> Grepped:
    more = bool(following)
    account = {**scoped(context), "events": looked, "unreadable": unreadable, "complete": not more}
    status = "partial" if unreadable else "ok" if found or more else "empty"
    return Grepped(status, found, following, account)


def _compile(request: Grep) -> Any:
    if not request.pattern:
        raise InvalidInput("the pattern is empty", field="pattern")
    if len(request.pattern) > MAX_PATTERN:
        raise LimitExceeded(
            "the pattern is too long", field="pattern", limit=MAX_PATTERN, size=len(request.pattern)
        )
    if not 0 < request.limit <= MAX_LIMIT:
        raise InvalidInput("`limit` is out of range", field="limit", limit=MAX_LIMIT, value=request.limit)
    options = re2.Options()
    options.max_mem = PATTERN_MEMORY
    options.log_errors = False
    options.case_sensitive = not request.ignore_case
    options.literal = request.literal
    options.one_line = False
    try:
        return re2.compile(request.pattern.encode(), options)
    except (re2.error, UnicodeEncodeError) as error:
        raise InvalidPattern("the pattern is not a valid regular expression", field="pattern") from error


def _cursor(context: Context, request: Grep) -> Page:
    if request.cursor:
        return paging.read(context, _question(request), request.cursor)
    heads = dict[bytes, int]()
    for project in paging.projects_in(context):
        counters = context.reader.get(COUNTERS, (project,))
        if counters is not None:
            heads[project] = counters.next_ordinal
    return Page(heads=heads)


def _question(request: Grep) -> bytes:
    how = (request.pattern, str(request.literal), str(request.ignore_case))
    return request.question or "\0".join(how).encode("utf-8", "surrogatepass")


def _events(context: Context, project: ProjectId, after: int, head: int) -> Iterator[Event]:
    while True:
        page = context.reader.scan(EVENT, (project,), start=(after + 1,), stop=(head,), limit=BATCH)
        yield from page
        if len(page) < BATCH:
            return
        after = page[-1].ordinal


def _has_text(event: Event) -> bool:
    return bool(event.size) and not event.flags & (HIDDEN | ECHO)
