"""What took the place of a passage: a newer version of its document, or a correction of what it says.

A note that was replaced leaves search; a message of a conversation that was corrected stays, marked, behind what
corrects it: there is more in a conversation than the one thing that was wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unabridged.archive.forget import live_version
from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.retrieve import locator, places
from unabridged.retrieve.rank import Ranked
from unabridged.schema.ids import Ordinal, ProjectId
from unabridged.schema.records import DOCUMENT, EVENT, SUPERSESSION, Document, Event, Supersession
from unabridged.store.contract import Reader

MOST_STEPS = 32  # of a chain that are told

Place = tuple[ProjectId, Ordinal]  # of a message


@dataclass(frozen=True, slots=True)
class Step:
    """One replacement: the document that came, by id and handle, why, and when (ISO 8601)."""

    document: str
    handle: str
    reason: str
    time: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """The live document at the end of the chain ("" when it is gone), its handle, and the chain, oldest first."""

    document: str
    handle: str
    chain: tuple[Step, ...]


def replaced(reader: Reader, event: Event | None, document: Document | None) -> Replaced | None:
    """Return what took the place of a message or of the document that holds it; None while both stand."""
    project, at = _superseded(reader, event, document)
    if not at:
        return None
    live, chain = live_version(reader, project, at)
    steps = [
        Step(*_named(reader, project, step.new), step.reason, places.iso(step.time))
        for step in chain[-MOST_STEPS:]
    ]
    return Replaced(*_named(reader, project, live), tuple(steps))


def _superseded(reader: Reader, event: Event | None, document: Document | None) -> tuple[ProjectId, Ordinal]:
    """Return whose supersession counts: the message's own, else its document's; ordinal 0: nobody's."""
    for item in (event, document):
        if item is not None and reader.get(SUPERSESSION, (item.project, item.ordinal)) is not None:
            return item.project, item.ordinal
    return ProjectId(b""), Ordinal(0)


def _named(reader: Reader, project: ProjectId, ordinal: Ordinal) -> tuple[str, str]:
    document = reader.get(DOCUMENT, (project, ordinal)) if ordinal else None
    if document is None:
        return "", ""
    first = reader.get(EVENT, (project, document.members[0])) if document.members else None
    handle = locator.handle_of(project, first.ordinal, 0, first.size) if first is not None else ""
    return document.id.hex(), handle


def behind_corrections(reader: Reader, ranked: Sequence[Ranked], *, notes: bool) -> list[Ranked]:
    """Return hits with each that was superseded behind what stands now, where that is a hit, too.

    notes: whether there may be notes that were replaced among them.
    """
    said = [item for item in ranked if item.event.host != NOTE_HOST]
    if len(said) == len(ranked):
        return list(ranked)  # what takes the place of anything is a note
    keys = [(item.event.project, item.event.ordinal) for item in said]
    steps = dict(zip(keys, reader.get_many(SUPERSESSION, keys), strict=True))
    if notes:
        steps |= {
            (item.event.project, item.event.ordinal): _of_note(reader, item.event)
            for item in ranked
            if item.event.host == NOTE_HOST
        }
    order, waiting = list[Ranked](), dict[tuple[ProjectId, Ordinal], list[Ranked]]()
    there = {(item.event.project, item.event.ordinal) for item in ranked}
    given = set[tuple[ProjectId, Ordinal]]()
    for item in ranked:
        place = (item.event.project, item.event.ordinal)
        step = steps.get(place)
        by = _correction(reader, place[0], step.old) if step is not None else None
        if by is not None and by in there and by not in given:
            waiting.setdefault(by, []).append(item)
            continue
        order += [item, *waiting.pop(place, ())]
        given.add(place)
    return order


def corrections(reader: Reader, events: Sequence[Event]) -> list[tuple[Place, Place]]:
    """Return which of some messages were corrected, each with the message of the note that stands now."""
    keys = [(event.project, event.ordinal) for event in events if event.host != NOTE_HOST]
    if len(keys) == len(events):
        return []  # none of the notes that correct is among them
    found = list[tuple[Place, Place]]()
    for key, step in zip(keys, reader.get_many(SUPERSESSION, keys), strict=True):
        by = _correction(reader, key[0], step.old) if step is not None else None
        if by is not None:
            found.append((key, by))
    return found


def _of_note(reader: Reader, event: Event) -> Supersession | None:
    document = places.document_of(reader, event)
    return reader.get(SUPERSESSION, (event.project, document.ordinal)) if document is not None else None


def _correction(reader: Reader, project: ProjectId, old: Ordinal) -> tuple[ProjectId, Ordinal] | None:
    live, _ = live_version(reader, project, old)
    document = reader.get(DOCUMENT, (project, live)) if live else None
    return (project, document.members[0]) if document is not None and document.members else None
