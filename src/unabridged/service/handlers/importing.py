"""What brings content in: import, notify, note."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import msgspec

from unabridged.archive import notes
from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.retrieve.locator import handle_of
from unabridged.schema.ids import ProjectId, project_id
from unabridged.service.caller import Call, Pending
from unabridged.service.handlers.named import document_named
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
from unabridged.store.contract import Batch, Plan, Reader

MAX_PATHS = 10_000  # of one import; a folder stands for any number of files
MAX_PATH_CHARS = 4_096
ENDINGS = ("SessionEnd", "session-end")  # events behind which a host writes no more
BRIEF_CHARS = 8_192  # of a note that is prepared in less time than handing it over takes
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


def note(call: Call, request: NoteRequest) -> NoteAnswer | Pending:
    """Admit a note to the caller's project (or the one that it names)."""
    services = call.services
    for field in ("request", "subject_key"):
        if len(getattr(request, field)) > MAX_NAME_CHARS:
            raise LimitExceeded(f"{field} is too long", field=field, limit=MAX_NAME_CHARS)
    services.daemon.admit()
    root = call.root(request.project or call.caller.folder)
    project = project_id(root)
    if request.supersedes:
        named = document_named(call, request.supersedes, request.project, "supersedes")
        request = msgspec.structs.replace(request, supersedes=named)
    make = partial(_planned, call, request, project, root)

    def made_late(reader: Reader) -> Batch:
        return make()(reader)

    # The plan of a brief note is made by the thread that writes: to hand it to another one first costs more.
    commit = services.store.submit(project, made_late if len(request.text) <= BRIEF_CHARS else make())
    if not request.searchable:
        return Pending(commit, lambda outcome: admitted(services, project, outcome))
    outcome: notes.NoteOutcome = commit.result()
    answer = admitted(services, project, outcome)
    if outcome.position:
        services.index.wait({project: outcome.position}, call.check)
    return answer


def is_brief(call: Call, request: NoteRequest) -> bool:
    """Tell whether `note` only has to hand the request to the thread that writes."""
    folders, folder = call.services.folders, request.project or call.caller.folder
    brief = len(request.text) <= BRIEF_CHARS and not request.searchable and not request.supersedes
    return brief and folders.knows(folder, call.services.clock())


def _planned(call: Call, request: NoteRequest, project: ProjectId, root: str) -> Plan:
    """Return the plan that admits a note without the secrets in it."""
    redact = call.services.redact
    draft = notes.NoteDraft(
        project=project,
        root=root,
        text=redact(request.text),
        name=request.request,
        request=request.request,
        title=redact(request.title),
        subject_key=request.subject_key,
        supersedes=request.supersedes,
    )
    return notes.plan_note(draft, call.now, call.services.ruleset)


def admitted(services: Services, project: ProjectId, outcome: notes.NoteOutcome) -> NoteAnswer:
    """Have a durable note found: put a short one where searches look before the index has it, and tell the index."""
    retrieval: Retrieval | None = services.retrieval
    event = outcome.admitted
    if event is not None and retrieval is not None and retrieval.recent is not None:
        retrieval.recent.add(event, outcome.text, outcome.position)
    services.index.poke()
    return NoteAnswer(
        document=outcome.document_id.hex(),
        version=outcome.version,
        event=outcome.event.hex(),
        position=outcome.position,
        replayed=outcome.replayed,
        handle=handle_of(project, outcome.ordinal, 0, outcome.size),
    )


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
