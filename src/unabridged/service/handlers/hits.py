"""A passage as a hit: where it stands, what names it, whether it still holds."""

from __future__ import annotations

from typing import Any

from unabridged.archive.resolve import spans
from unabridged.retrieve import places
from unabridged.retrieve import search as searching
from unabridged.retrieve.context import Context
from unabridged.retrieve.replaced import replaced
from unabridged.schema.records import Event
from unabridged.service.requests import Hit


def place_of(context: Context, event: Event, start: int, end: int) -> Hit:
    """Return a hit with everything that its place tells; `bytes` is the range in the document's text."""
    where = places.provenance(context.reader, event)
    document = where.document
    offset = 0
    if document is not None:
        offset = next((at for ordinal, at, _ in spans(document) if ordinal == event.ordinal), 0)
    signed, handle = searching.locate(context, event, document, start, end)
    extra: dict[str, Any] = {}
    if document is not None:
        extra["title"] = document.title
    by = replaced(context.reader, event, document)
    if by is not None:
        extra |= {"superseded": True, "replaced_by": by.handle}
    return Hit(
        document=(document.id if document is not None else event.id).hex(),
        version=document.version if document is not None else 1,
        kind=event.kind,
        score=0.0,
        band="",
        match=[],
        snippet="",
        locator=signed,
        handle=handle,
        session=event.session.hex(),
        host=where.session.host,
        host_session=where.session.host_session,
        source_keys=[where.source_key],
        time=places.iso(event.time),
        bytes=(offset + start, offset + end),
        role=event.role,
        tool=event.tool,
        event=event.id.hex(),
        project=event.project.hex(),
        **extra,
    )
