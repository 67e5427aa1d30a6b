"""How completely an event is indexed, per handler.

The statuses are a function of the event and of how far the index has come, so they need no storage and are the same
after a rebuild: `pending` (the index is behind), `skipped` (why), `partial` (what was left out), `complete`.
"""

from __future__ import annotations

from dataclasses import dataclass

from unabridged.schema.records import ECHO, HIDDEN, PARTIAL, Event

HANDLERS = ("lexical", "exact")
MAX_INDEXED = (
    4_096 * 3_060
)  # bytes of one event's text that windows can cover for certain; more may be left out


@dataclass(frozen=True, slots=True)
class Status:
    """A handler's status for one event."""

    status: str
    why: str = ""


def is_indexed(event: Event) -> bool:
    """Tell whether an event has anything for the index: text that is neither hidden reasoning nor our own echo."""
    return bool(event.size) and not event.flags & (HIDDEN | ECHO)


def status_of(event: Event, covered: bool) -> Status:
    """Return the status of the lexical and exact handlers; `covered`: the index has the event's log entry."""
    if event.flags & HIDDEN:
        return Status("skipped", "reasoning is not indexed")
    if event.flags & ECHO:
        return Status("skipped", "output of the archive's own tools is not indexed")
    if not event.size:
        return Status("skipped", "no text")
    if not covered:
        return Status("pending", "the index is behind")
    if event.flags & PARTIAL or event.size > MAX_INDEXED:
        return Status("partial", "the text is longer than the index takes of one event")
    return Status("complete")
