"""What was said in a conversation, and where it stands there."""

from __future__ import annotations

from unabridged.schema.ids import ProjectId
from unabridged.schema.records import META, SUMMARY, Event

SPEAKERS = ("user", "assistant")
NEIGHBOURS = (1, -1)  # what is said next, then what was said before

Place = tuple[ProjectId, bytes, int]  # project, session, seq


def is_said(event: Event) -> bool:
    """Tell whether an event is what a person or an agent said to the other."""
    return event.kind == "text" and event.role in SPEAKERS and not event.flags & (META | SUMMARY)


def place_of(event: Event) -> Place:
    """Return an event's place in the session that first held it."""
    return event.project, event.session, event.seq


def around(place: Place) -> tuple[Place, ...]:
    """Return the places beside a place."""
    project, session, seq = place
    return tuple((project, session, seq + step) for step in NEIGHBOURS)
