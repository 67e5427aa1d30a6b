"""A session read from its beginning: show."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from unabridged.archive.resolve import Resolver
from unabridged.archive.sessions import parts_everywhere, session_of
from unabridged.errors import InvalidCursor, LimitExceeded, NotFound, OutOfScope, SessionNotFound
from unabridged.retrieve import places
from unabridged.retrieve import target as naming
from unabridged.retrieve.recall import what_became
from unabridged.schema.records import DOCUMENT, EVENT, HIDDEN, PATH, SESSION, Event, Path, Session
from unabridged.service.caller import Call
from unabridged.service.handlers.sessions import named, row, visible, visible_session
from unabridged.service.requests import ShowAnswer, ShowRequest
from unabridged.service.retrieval import Retrieval
from unabridged.service.times import iso
from unabridged.store.contract import Reader

MAX_EVENTS = 2_000  # events of one page
MAX_BYTES = 4 << 20  # bytes of text of one page
MAX_ORIGINAL = 65_536  # bytes of an original line that a reasoning event shows
MAX_CURSOR = 24  # characters
ID_CHARS = 40  # of an event's or document's id
HEX = frozenset("0123456789abcdef")


def show(call: Call, request: ShowRequest) -> ShowAnswer:
    """Return a page of a session's events in its own order; a document or event shows that part alone."""
    if not 1 <= request.limit <= MAX_EVENTS:
        raise LimitExceeded("limit is out of range", field="limit", limit=MAX_EVENTS, value=request.limit)
    if not 1 <= request.max_bytes <= MAX_BYTES:
        raise LimitExceeded(
            "max_bytes is out of range", field="max_bytes", limit=MAX_BYTES, value=request.max_bytes
        )
    with call.services.store.snapshot() as reader:
        parts, first, last = _range(call, reader, request.target.strip())
        part, start = _start(request.cursor)
        events = list[dict[str, Any]]()
        following = ""
        for number in range(part, len(parts)):
            session = parts[number]
            left = request.max_bytes - sum(event["bytes"] - event["omitted"] for event in events)
            if events and (len(events) >= request.limit or left <= 0):
                following = f"{number}.0"
                break
            asked = replace(request, limit=request.limit - len(events), max_bytes=left)
            steps = reader.scan(
                PATH,
                (session.project, session.session),
                start=(max(first, start if number == part else 0),),
                stop=(last + 1,) if last else (),
                limit=asked.limit + 1,
            )
            found, step = _page(call, reader, session, steps, asked)
            events += found
            if step:
                following = f"{number}.{step}" if number else str(step)
                break
        return ShowAnswer(row(reader, parts[0]), events, following)


def _range(call: Call, reader: Reader, name: str) -> tuple[list[Session], int, int]:
    """Return what a target means, a session's parts in several projects, and the steps to show (last 0: to the end)."""
    wire = name.startswith(naming.WIRE)
    if not wire and (len(name) != ID_CHARS or not set(name) <= HEX):
        parts = visible(call, reader, parts_everywhere(reader, named(call, reader, name)))
        if not parts:
            raise OutOfScope("that session is outside what this client was granted")
        return parts, 0, 0
    retrieval: Retrieval = call.services.retrieval
    context = retrieval.context(reader, call.scope(reader), call.now, lambda: False)
    found = naming.find(context, name)
    if found.status == naming.OUT_OF_SCOPE:
        raise OutOfScope("that is outside what this client was granted")
    if found.place is None and wire:
        raise NotFound(f"what that names is {found.status}", field="target")
    if found.place is None:
        return [visible_session(call, reader, name)], 0, 0
    place = found.place
    if place.event:
        event = reader.get(EVENT, (place.project, place.event))
        first = last = event.seq if event is not None else 0
    else:
        document = reader.get(DOCUMENT, (place.project, place.document))
        first, last = (document.seq_from, document.seq_to) if document is not None else (0, 0)
    # Of a session in several projects the part that holds the passage.
    session = reader.get(SESSION, (place.project, place.session)) or session_of(reader, place.session)
    if session is None or not visible(call, reader, [session]):
        raise SessionNotFound("the session of that passage is gone")
    return [session], first, last


def _start(cursor: str) -> tuple[int, int]:
    """Return which part of a session a page begins in, and at which of its steps."""
    part, _, step = cursor.rpartition(".")
    if not cursor:
        return 0, 0
    if not (step.isdecimal() and (part.isdecimal() or not part)) or len(cursor) > MAX_CURSOR:
        raise InvalidCursor(field="cursor")
    return int(part or 0), int(step)


def _page(
    call: Call, reader: Reader, session: Session, steps: list[Path], request: ShowRequest
) -> tuple[list[dict[str, Any]], int]:
    """Return events as far as they fit the page, and the step that the next page begins with (0: none)."""
    resolver, left = Resolver(reader), request.max_bytes
    keys = [(session.project, step.event) for step in steps[: request.limit]]
    events = list[dict[str, Any]]()
    for step, event in zip(steps, reader.get_many(EVENT, keys), strict=False):
        call.check()
        if event is None:
            continue
        if events and event.size > left:
            return events, step.seq
        shown = _event(reader, resolver, session, step, event, request, max(left, 1))
        left -= min(event.size, left)
        events.append(shown)
    return events, steps[request.limit].seq if len(steps) > request.limit else 0


def _event(
    reader: Reader,
    resolver: Resolver,
    session: Session,
    step: Path,
    event: Event,
    request: ShowRequest,
    room: int,
) -> dict[str, Any]:
    gone = what_became(reader, event, places.document_of(reader, event))
    data = b"" if gone else resolver.event_bytes(event)
    shown: dict[str, Any] = {
        "seq": step.seq,
        "event": event.id.hex(),
        "role": event.role,
        "kind": event.kind,
        "tool": event.tool,
        "time": iso(event.time),
        "source_key": f"{session.host}:{session.host_session}:{step.native}",
        "text": data[:room].decode("utf-8", "ignore"),
        "bytes": event.size,
        "omitted": event.size if gone else max(0, event.size - room),
        **({"status": gone} if gone else {}),
        "flags": event.flags,
        "paths": event.paths,
        "media": [{"type": item.media_type, "bytes": item.size, "name": item.name} for item in event.media],
    }
    if request.reasoning and event.flags & HIDDEN and not gone:
        size = min(event.length, MAX_ORIGINAL)
        line = resolver.original(event.project, event.origin, event.generation, event.offset, size)
        shown["original"] = line.decode("utf-8", "replace")
    return shown
