"""From ordinals to what a person can check: documents, sessions, source keys, times."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from unabridged.hosts.wire.read import NATIVE
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.records import (
    ALIAS,
    DOCUMENT,
    EVENT,
    PATH,
    SESSION,
    SUPERSESSION,
    TOMBSTONE,
    Alias,
    Document,
    Event,
    Session,
    Tombstone,
)
from unabridged.schema.windows import ADDRESS_DIGITS
from unabridged.store.contract import Reader

# Documents looked at to find the one that holds an event; splits and versions share a beginning.
TURNS_BACK = 8
_WIRE = re.compile(rf"{NATIVE}[0-9a-f]{{{ADDRESS_DIGITS}}}-")  # begins what passed on the wire is called by
MAX_ALIASES = 100  # further source keys of one event that are looked at: one a capture that it came through


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an event belongs; `document` is None while its turn is open."""

    event: Event
    session: Session
    source_key: str
    document: Document | None


def document_of(reader: Reader, event: Event) -> Document | None:
    """Return the live turn document that holds an event, or None while its turn is open."""
    held = _holding(reader, event, 1)  # most often the last that begins before the event
    if held and reader.get(SUPERSESSION, (event.project, held[0].ordinal)) is None:
        return held[0]
    held = _holding(reader, event, TURNS_BACK)
    for document in held:
        if reader.get(SUPERSESSION, (event.project, document.ordinal)) is None:
            return document
    return held[0] if held else None


def _holding(reader: Reader, event: Event, most: int) -> list[Document]:
    """Return which of the last documents that begin before an event, at most so many, hold it."""
    found = reader.scan(
        DOCUMENT,
        (event.project, event.session),
        stop=(event.seq + 1,),
        index="place",
        reverse=True,
        limit=most,
    )
    return [
        document for document in found if document.seq_to >= event.seq and event.ordinal in document.members
    ]


def provenance(reader: Reader, event: Event) -> Provenance:
    """Return an event's session, source key and document."""
    session = session_of(reader, event)
    return Provenance(event, session, source_key(reader, session, event), document_of(reader, event))


def session_of(reader: Reader, event: Event) -> Session:
    """Return the session that an event was first in."""
    found = reader.get(SESSION, (event.project, event.session))
    return found or Session(event.project, event.session, event.host, "")


def source_keys(reader: Reader, session: Session, events: Sequence[Event]) -> list[str]:
    """Return the source key of each event in the session that first held it.

    Of one that passed on the wire first, the key is that of the host's own row once that was read.
    """
    begin = f"{session.host}:{session.host_session}:"
    return [
        (_of_host(reader, event, begin) if _WIRE.match(native) else "") or begin + native
        for event, native in zip(events, _natives(reader, events), strict=True)
    ]


def _natives(reader: Reader, events: Sequence[Event]) -> list[str]:
    steps = [(event.project, event.session, event.seq) for event in events]
    found = zip(events, reader.get_many(PATH, steps), strict=True)
    return [path.native if path is not None else event.native for event, path in found]


def _of_host(reader: Reader, event: Event, begin: str) -> str:
    """Return the further source key of an event that names a row of its host's, "" where there is none yet."""
    keys = (alias.key for alias in _aliases(reader, event))
    return next((key for key in keys if key.startswith(begin) and not _WIRE.match(key, len(begin))), "")


def _aliases(reader: Reader, event: Event) -> Sequence[Alias]:
    return reader.scan(ALIAS, (event.project, event.ordinal), index="event", limit=MAX_ALIASES)


def source_key(reader: Reader, session: Session, event: Event) -> str:
    """Return the source key of an event in the session that first held it."""
    return source_keys(reader, session, (event,))[0]


def is_named(reader: Reader, event: Event, keys: Container[str]) -> bool:
    """Tell whether one of an event's source keys, of whatever capture, is among `keys`."""
    session = session_of(reader, event)
    if f"{session.host}:{session.host_session}:{_natives(reader, (event,))[0]}" in keys:
        return True
    return any(alias.key in keys for alias in _aliases(reader, event))


def event_at(reader: Reader, project: ProjectId, ordinal: int) -> Event | None:
    """Return the event at an ordinal."""
    return reader.get(EVENT, (project, ordinal))


def tombstone_of(reader: Reader, event: Event) -> Tombstone | None:
    """Return what hides an event: its own tombstone or its document's."""
    own = reader.get(TOMBSTONE, (event.project, event.id))
    if own is not None:
        return own
    document = document_of(reader, event)
    return reader.get(TOMBSTONE, (event.project, document.id)) if document is not None else None


def iso(time: Micros | int) -> str:
    """Return a time as ISO 8601 in UTC with milliseconds; "" for 0."""
    if not time:
        return ""
    seconds, micros = divmod(int(time), 1_000_000)
    try:
        stamp = datetime.fromtimestamp(seconds, UTC).isoformat()[:19]  # a tenth of what strftime costs
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{stamp}.{micros // 1000:03}Z"
