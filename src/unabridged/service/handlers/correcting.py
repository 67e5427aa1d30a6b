"""What takes something back: correct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from unabridged.archive import notes
from unabridged.errors import Conflict, InvalidInput, LimitExceeded, NotFound, OutOfScope
from unabridged.retrieve import recall, target
from unabridged.retrieve.context import Context
from unabridged.retrieve.locator import handle_of
from unabridged.retrieve.replaced import replaced
from unabridged.schema.ids import GLOBAL, Ordinal, ProjectId
from unabridged.schema.records import EVENT, PROJECT, Document, Event
from unabridged.service.caller import Call
from unabridged.service.handlers.asking import context_of
from unabridged.service.handlers.importing import MAX_NAME_CHARS, admitted
from unabridged.service.requests import CorrectAnswer, CorrectRequest
from unabridged.store.contract import Store


@dataclass(frozen=True, slots=True)
class _Wrong:
    """What is corrected: a note by its document, or a message by its event."""

    project: ProjectId
    root: str
    ordinal: Ordinal
    name: str
    handle: str
    event: Event
    note: Document | None = None


def correct(call: Call, request: CorrectRequest) -> CorrectAnswer:
    """Admit a note that takes the place of another one, or of what a message says; both are kept.

    Raises `NotFound`, `OutOfScope` or `InvalidInput` for a target that cannot be corrected, `Conflict` for one that was
    replaced already.
    """
    services = call.services
    if len(request.request) > MAX_NAME_CHARS:
        raise LimitExceeded("request is too long", field="request", limit=MAX_NAME_CHARS)
    with services.store.snapshot() as reader:
        wrong = _find(context_of(call, reader, request.scope, request.project), request.target)
    services.daemon.admit()
    note = wrong.note
    draft = notes.NoteDraft(
        project=wrong.project,
        root=wrong.root,
        text=services.redact(request.text),
        name=request.request,
        request=request.request,
        title=services.redact(request.title) or (note.title if note is not None else ""),
        subject_key=note.subject_key if note is not None else "",
        corrects=wrong.ordinal,
    )
    plan = notes.plan_note(draft, call.now, services.ruleset)
    try:
        outcome: notes.NoteOutcome = services.store.commit(wrong.project, plan)
    except Conflict as error:
        raise _named(services.store, wrong, error) from None
    answer = admitted(services, wrong.project, outcome)
    if request.searchable and outcome.position:
        services.index.wait({wrong.project: outcome.position}, call.check)
    return CorrectAnswer(**msgspec.structs.asdict(answer), corrects=wrong.name, corrects_handle=wrong.handle)


def _find(context: Context, name: str) -> _Wrong:
    """Return what a target names, if it can be corrected."""
    found = target.find(context, name)
    if found.status == target.OUT_OF_SCOPE:
        raise OutOfScope("that is outside what this client was granted", field="target")
    if found.place is None:
        raise _unknown(found.status)
    event, document = found.event, recall.document_at(context, found.place, found.event)
    gone = recall.what_became(context.reader, event, document)
    if gone:
        raise _unknown(gone)
    if event is None and document is not None and len(document.members) == 1:
        event = context.reader.get(EVENT, (document.project, document.members[0]))
    if event is None and document is None:
        raise _unknown(target.MISSING)
    if event is None:
        raise InvalidInput(
            "that names several messages",
            field="target",
            hint="Name the one that is wrong: a hit has its handle.",
        )
    return _wrong(context, event, document)


def _wrong(context: Context, event: Event, document: Document | None) -> _Wrong:
    project = context.reader.get(PROJECT, (GLOBAL, event.project))
    root = project.roots[0] if project is not None and project.roots else ""
    handle = handle_of(event.project, event.ordinal, 0, event.size)
    if event.host == notes.HOST and document is not None:
        return _Wrong(event.project, root, document.ordinal, document.id.hex(), handle, event, document)
    return _Wrong(event.project, root, event.ordinal, event.id.hex(), handle, event)


def _named(store: Store, wrong: _Wrong, error: Conflict) -> Conflict:
    """Return a conflict with what stands now, where something was replaced already, by its handle."""
    if "live" not in error.details:
        return error  # of the request's own id
    with store.snapshot() as reader:
        by = replaced(reader, wrong.event, wrong.note)
    if by is None or not by.handle:
        return error
    said = {"live": by.document, "live_handle": by.handle}
    return Conflict(error.message, hint=f"What stands now is {by.handle}: correct that.", **said)


def _unknown(status: str) -> NotFound:
    said: dict[str, Any] = {"field": "target", "status": status}
    return NotFound(
        f"what is to be corrected is {status}", hint="Search for it and give the hit's handle.", **said
    )
