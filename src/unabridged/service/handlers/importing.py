"""What brings content in: import, notify, note."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from unabridged.archive import notes
from unabridged.archive.project import root_of
from unabridged.archive.resolve import Resolver
from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.retrieve.recent import MAX_TEXT
from unabridged.schema.ids import ProjectId, project_id
from unabridged.schema.records import DOCUMENT, EVENT
from unabridged.service.caller import NO_HOST, Call
from unabridged.service.ports import Services
from unabridged.service.requests import (
    ImportAnswer,
    ImportRequest,
    NoteAnswer,
    NoteRequest,
    NotifyRequest,
    PingAnswer,
)
from unabridged.service.retrieval import Retrieval
from unabridged.store.contract import Reader

MAX_PATHS = 10_000  # of one import; a folder stands for any number of files
MAX_PATH_CHARS = 4_096
ENDINGS = ("SessionEnd", "session-end")  # events behind which a host writes no more
MAX_NAME_CHARS = 256  # of a request id, a subject key, a host


def import_(call: Call, request: ImportRequest) -> ImportAnswer:
    """Import transcripts and return when they are searchable."""
    if len(request.paths) > MAX_PATHS:
        raise LimitExceeded("too many paths", field="paths", limit=MAX_PATHS, size=len(request.paths))
    paths = [_absolute(call, path) for path in request.paths]
    if not request.dry_run:
        call.services.daemon.admit()
    named = msgspec.structs.replace(request, paths=paths)
    return call.services.importer.run(named, call.progress, call.check)


def notify(call: Call, request: NotifyRequest) -> PingAnswer:
    """Note that a transcript grew."""
    _check_path(request.path, "path")
    call.services.importer.notify(request.path, request.host, ended=request.event in ENDINGS)
    return PingAnswer(True, call.services.daemon.pid, call.services.version)


def note(call: Call, request: NoteRequest) -> NoteAnswer:
    """Admit a note to the caller's project (or the one that it names)."""
    services = call.services
    for field in ("request", "subject_key"):
        if len(getattr(request, field)) > MAX_NAME_CHARS:
            raise LimitExceeded(f"{field} is too long", field=field, limit=MAX_NAME_CHARS)
    services.daemon.admit()
    root = root_of(request.project or call.caller.folder, NO_HOST)
    draft = notes.NoteDraft(
        project=project_id(root),
        root=root,
        text=services.redact(request.text),
        name=request.request,
        request=request.request,
        title=services.redact(request.title),
        subject_key=request.subject_key,
        supersedes=request.supersedes,
    )
    outcome: notes.NoteOutcome = services.store.commit(
        draft.project, notes.plan_note(draft, call.now, services.ruleset)
    )
    with services.store.snapshot(draft.project) as reader:
        document = reader.get(DOCUMENT, (draft.project, outcome.document))
        if not outcome.replayed:
            _found_at_once(services, reader, draft.project, outcome)
    services.index.poke()
    if outcome.position and request.searchable:
        services.index.wait({draft.project: outcome.position}, call.check)
    return NoteAnswer(
        document=document.id.hex() if document is not None else "",
        version=document.version if document is not None else 0,
        event=outcome.event.hex(),
        position=outcome.position,
        replayed=outcome.replayed,
    )


def _found_at_once(
    services: Services, reader: Reader, project: ProjectId, outcome: notes.NoteOutcome
) -> None:
    """Put a short note where searches look before the index has it."""
    retrieval: Retrieval | None = services.retrieval
    event = reader.get(EVENT, (project, outcome.ordinal))
    if retrieval is None or retrieval.recent is None or event is None or event.size > MAX_TEXT:
        return
    retrieval.recent.add(event, Resolver(reader).event_text(event), outcome.position)


def _absolute(call: Call, path: str) -> str:
    """Return a path as the daemon finds it: a relative one is taken from the caller's folder."""
    _check_path(path, "paths")
    if Path(path).is_absolute():
        return path
    if not call.caller.folder:
        raise InvalidInput("a relative path needs a folder that it is relative to", field="paths")
    return os.path.normpath(Path(call.caller.folder) / path)


def _check_path(path: str, field: str) -> None:
    if not path or "\0" in path:
        raise InvalidInput("a path is empty or holds a NUL", field=field)
    if len(path) > MAX_PATH_CHARS:
        raise LimitExceeded("a path is too long", field=field, limit=MAX_PATH_CHARS, size=len(path))
