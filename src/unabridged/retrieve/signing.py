"""The locator of a passage, signed for whoever asks now."""

from __future__ import annotations

from unabridged.retrieve import locator, wirenames
from unabridged.retrieve.context import Context
from unabridged.schema.ids import Micros, Ordinal
from unabridged.schema.records import Document, Event


def signed(context: Context, event: Event, document: Document | None, start: int, end: int) -> str:
    """Return the locator of bytes `start` to before `end` of an event; `document` holds it, or is None for now."""
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
        event.native if wirenames.names_itself(event) else "",
    )
    return context.locators.sign(place)
