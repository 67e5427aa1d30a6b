"""Exact text around one place.

What comes back is always one contiguous slice of one document's text (the event's own while its turn is open), with its
coordinates, so that it can be compared byte for byte; what lies before and after is named and can be asked for.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.retrieve import places, target, wirenames
from unabridged.retrieve.context import Context
from unabridged.retrieve.envelope import envelope
from unabridged.retrieve.locator import Place
from unabridged.retrieve.replaced import Replaced, replaced
from unabridged.retrieve.signing import signed
from unabridged.retrieve.slices import (
    Slice,
    Span,
    Text,
    cut_to,
    neighbourhood,
    text_of_document,
    text_of_event,
)
from unabridged.schema import tokens
from unabridged.schema.ids import Ordinal, ProjectId
from unabridged.schema.records import DOCUMENT, GENERATION, TOMBSTONE, Document, Event
from unabridged.store.contract import Reader

MAX_NEIGHBORS = 32  # windows to each side
MAX_TOKENS = 100_000  # so that an answer stays below a frame
MIN_TOKENS = 1
LEAST_USEFUL_TOKENS = 8  # what the longest character may cost by the strict estimate, and some

RESOLVED, SUPERSEDED, ERASED, EXPIRED, MISSING = "resolved", "superseded", "erased", "expired", "missing"


@dataclass(frozen=True, slots=True)
class Recall:
    """A recall's request."""

    target: str
    neighbors: int = 0
    max_tokens: int = 4_000
    envelope: bool = False
    whole: bool = False


@dataclass(slots=True)
class Recalled:
    """A recall's answer: see `service/requests.RecallAnswer`."""

    status: str
    text: str = ""
    document: str = ""
    version: int = 0
    bytes: tuple[int, int] = (0, 0)
    source_keys: list[str] = field(default_factory=list[str])
    session: str = ""
    time: str = ""
    omitted: dict[str, Any] = field(default_factory=dict[str, Any])
    next: str = ""
    host: str = ""
    host_session: str = ""
    kind: str = ""
    title: str = ""
    digest: str = ""
    redactions: int = 0
    tokens: int = 0
    before: str = ""
    envelope: str = ""
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    replaced_by: str = ""
    replaced_by_handle: str = ""
    chain: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    of: tuple[ProjectId, Ordinal] | None = (
        None  # the message that was asked for, where it is given and still holds
    )


def recall(context: Context, request: Recall) -> Recalled:
    """Return the passage, or the status that says why there is none; raise `InvalidInput` for a bad request."""
    _validate(request)
    found = target.find(context, request.target)
    if found.place is None:
        return Recalled(found.status)
    event, document = found.event, document_at(context, found.place, found.event)
    gone = what_became(context.reader, event, document)
    if gone:
        return Recalled(gone)
    if document is not None:
        text = text_of_document(document, event)
    elif event is not None:
        text = text_of_event(event)
    else:
        return Recalled(MISSING)
    asked = (
        text.of_event(event.ordinal, found.place.start, found.place.end)
        if event is not None
        else Slice(0, text.size)
    )
    chosen = _without_erased(context, text, asked, _choose(context, text, asked, request, whole=found.whole))
    if chosen is None:
        return Recalled(ERASED)
    if chosen.start == chosen.end and asked.start < asked.end:
        # An answer without text would be followed by the same one for ever.
        raise InvalidInput(
            "`max_tokens` is too small for any text",
            hint=f"Ask for {LEAST_USEFUL_TOKENS} tokens or more.",
            field="max_tokens",
            value=request.max_tokens,
        )
    by = replaced(context.reader, event, document)
    answer = _answer(context, text, chosen, request, by)
    if event is not None and by is None:
        answer.of = (event.project, event.ordinal)
    return answer


def _validate(request: Recall) -> None:
    if request.neighbors < 0:
        raise InvalidInput("`neighbors` is negative", field="neighbors", value=request.neighbors)
    if request.neighbors > MAX_NEIGHBORS:
        raise LimitExceeded(
            "too many neighbors", field="neighbors", limit=MAX_NEIGHBORS, size=request.neighbors
        )
    if request.max_tokens < MIN_TOKENS:
        raise InvalidInput("`max_tokens` is not positive", field="max_tokens", value=request.max_tokens)
    if request.max_tokens > MAX_TOKENS:
        raise LimitExceeded(
            "`max_tokens` is too large", field="max_tokens", limit=MAX_TOKENS, size=request.max_tokens
        )


def document_at(context: Context, place: Place, event: Event | None) -> Document | None:
    """Return the document that a place names, or the one that holds its event."""
    if event is not None and wirenames.names_itself(event):
        return None
    if event is not None and not place.document:
        return places.document_of(context.reader, event)
    return context.reader.get(DOCUMENT, (place.project, place.document))


def what_became(reader: Reader, event: Event | None, document: Document | None) -> str:
    """Return what became of a passage that is not to be given any more: erased or expired, "" for one that is."""
    keys = [(record.project, record.id) for record in (event, document) if record is not None]
    for stone in reader.get_many(TOMBSTONE, keys):
        if stone is not None and stone.reason in (ERASED, EXPIRED):
            return stone.reason
    return ""


def _choose(context: Context, text: Text, asked: Slice, request: Recall, *, whole: bool) -> Slice:
    """Return the slice to give: the whole turn when that was asked for and fits, else the range and its neighbours."""
    if (request.whole or request.neighbors) and text.tokens <= request.max_tokens:
        return Slice(0, text.size)
    if whole:
        return cut_to(context, text, asked, request.max_tokens)
    return neighbourhood(context, text, asked, request.neighbors, request.max_tokens)


def _without_erased(context: Context, text: Text, asked: Slice, chosen: Slice) -> Slice | None:
    """Return what of a slice is to be given: of an erased message's turn only the stretch that was asked for."""
    reader = context.reader
    if not reader.scan(TOMBSTONE, (text.project,), limit=1):
        return chosen
    inside = text.inside(chosen)
    text.fetch(context, inside)
    runs: list[list[Span]] = [[]]
    for span in inside:
        event = text.event(context, span)
        if event is None or not what_became(reader, event, None):
            runs[-1].append(span)
        elif runs[-1]:
            runs.append([])
    if len(runs) == 1 and len(runs[0]) == len(inside):
        return chosen
    for run in filter(None, runs):
        if run[-1].end > asked.start and run[0].start < max(asked.end, asked.start + 1):
            return Slice(max(chosen.start, run[0].start), min(chosen.end, run[-1].end))
    return None


def _answer(context: Context, text: Text, chosen: Slice, request: Recall, by: Replaced | None) -> Recalled:
    passage, redacted = context.redact(text.read(context, chosen).decode())
    members = [
        (event, span) for span in text.inside(chosen) if (event := text.event(context, span)) is not None
    ]
    if not members:
        return Recalled(MISSING)
    session = places.session_of(context.reader, members[0][0])
    keys = places.source_keys(context.reader, session, [event for event, _ in members])
    document = text.document
    answer = Recalled(
        RESOLVED,
        passage,
        (document.id if document else members[0][0].id).hex(),
        document.version if document else 1,
        (chosen.start, chosen.end),
        keys,
        session.session.hex(),
        places.iso(members[0][0].time),
        _omitted(text, chosen, request),
        _continue(context, text, chosen, forward=True),
        session.host,
        session.host_session,
        document.kind if document else members[0][0].kind,
        document.title if document else session.title,
        (document.digest if document else members[0][0].digest).hex(),
        redacted + _redactions(context, members[0][0]),
        tokens.by_script(passage.encode()),
        _continue(context, text, chosen, forward=False),
    )
    answer.events = [
        _event(event, span.start, key, chosen) | _correction(context, event)
        for (event, span), key in zip(members, keys, strict=True)
    ]
    if by is not None:
        answer.status = SUPERSEDED
        answer.replaced_by, answer.replaced_by_handle = by.document, by.handle
        answer.chain = [asdict(step) for step in by.chain]
    if request.envelope:
        answer.envelope = envelope(passage, _label(answer))
    return answer


def _label(answer: Recalled) -> dict[str, str]:
    return {
        "source": answer.source_keys[0] if answer.source_keys else "",
        "time": answer.time,
        "document": answer.document,
        "version": str(answer.version),
        "bytes": f"{answer.bytes[0]}-{answer.bytes[1]}",
        "status": answer.status,
        **({"replaced_by": answer.replaced_by_handle} if answer.replaced_by_handle else {}),
    }


def _event(event: Event, at: int, key: str, chosen: Slice) -> dict[str, Any]:
    return {
        "event": event.id.hex(),
        "source_key": key,
        "role": event.role,
        "kind": event.kind,
        "tool": event.tool,
        "time": places.iso(event.time),
        "bytes": [max(at, chosen.start), min(at + event.size, chosen.end)],
    }


def _correction(context: Context, event: Event) -> dict[str, Any]:
    """Return what a message is marked with that was corrected."""
    by = replaced(context.reader, event, None)
    return {"superseded": True, "replaced_by": by.handle} if by is not None else {}


def _omitted(text: Text, chosen: Slice, request: Recall) -> dict[str, Any]:
    before, after = chosen.start, text.size - chosen.end
    if not before and not after:
        return {}
    return {
        "before": before,
        "after": after,
        "document_tokens": text.tokens,
        "max_tokens": request.max_tokens,
    }


def _redactions(context: Context, event: Event) -> int:
    """Return how many secrets were taken out of the passage's transcript when it was admitted."""
    generation = context.reader.get(GENERATION, (event.project, event.origin, event.generation))
    return generation.redactions if generation else 0


def _continue(context: Context, text: Text, chosen: Slice, *, forward: bool) -> str:
    """Return the locator of what follows (or precedes) the slice in the document, "" at its end."""
    at = text.after(chosen) if forward else text.before(chosen)
    if at is None:
        return ""
    span, start, end = at
    event = text.event(context, span)
    if event is None:
        return ""
    return signed(context, event, text.document, start, end)
