"""Whole sessions: sessions, original."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from unabridged.archive import restore
from unabridged.archive.sessions import (
    OriginInfo,
    generations,
    list_sessions,
    origins,
    origins_everywhere,
    resolve_session,
)
from unabridged.errors import (
    InvalidCursor,
    InvalidInput,
    LimitExceeded,
    NotFound,
    NotRestorable,
    OutOfScope,
)
from unabridged.hosts.contract import Head
from unabridged.schema.ids import NO_SESSION
from unabridged.schema.records import SESSION, Generation, Home, Session
from unabridged.schema.scope import Level, Scope
from unabridged.service.caller import Call, find_project
from unabridged.service.requests import (
    OriginalAnswer,
    OriginalRequest,
    SessionRow,
    SessionsAnswer,
    SessionsRequest,
)
from unabridged.service.times import iso
from unabridged.store.contract import Reader

MAX_SESSIONS = 10_000  # rows of one page
MAX_STREAM = (
    256 << 20
)  # bytes of kept rows that are made into a file at once; of more the rows themselves are given
MAX_PAGE = 8 << 20  # bytes of an original in one answer: as base64 it stays below a frame


def sessions(call: Call, request: SessionsRequest) -> SessionsAnswer:
    """List sessions inside the caller's scope, the one that ended last first; the cursor is the last row's id."""
    if not 1 <= request.limit <= MAX_SESSIONS:
        raise LimitExceeded("limit is out of range", field="limit", limit=MAX_SESSIONS, value=request.limit)
    with call.services.store.snapshot() as reader:
        scope = call.scope(reader, request.scope, request.project)
        project = (
            find_project(reader, request.project, apart=call.services.folders.apart)
            if request.project
            else None
        )
        found = [
            session
            for session in list_sessions(reader, request.host, project)
            if scope.allows(session.project, session.session)
        ]
        start = _behind(found, request.cursor)
        page = found[start : start + request.limit]
        more = start + request.limit < len(found)
        return SessionsAnswer([row(reader, item) for item in page], page[-1].session.hex() if more else "")


def _behind(found: list[Session], cursor: str) -> int:
    if not cursor:
        return 0
    for number, session in enumerate(found):
        if session.session.hex() == cursor:
            return number + 1
    raise InvalidCursor(field="cursor")


def row(reader: Reader, session: Session) -> SessionRow:
    """Return a session as answers show it."""
    files = origins(reader, session)
    return SessionRow(
        session=session.session.hex(),
        host=session.host,
        host_session=session.host_session,
        parent=session.parent.hex(),
        project=session.project.hex(),
        title=session.title,
        started=iso(session.started),
        ended=iso(session.ended),
        events=session.events,
        origins=[info.origin.path for info in files],
        relation=session.relation,
        cwd=session.cwd,
        redactions=sum(info.generation.redactions for info in files),
    )


def original(call: Call, request: OriginalRequest) -> OriginalAnswer:
    """Return a page of a session's kept original, or the list of its files."""
    if request.offset < 0:
        raise InvalidInput("offset is negative", field="offset", value=request.offset)
    if not 0 <= request.limit <= MAX_PAGE:
        raise LimitExceeded("limit is out of range", field="limit", limit=MAX_PAGE, value=request.limit)
    with call.services.store.snapshot() as reader:
        session = visible_session(call, reader, request.session)
        files = _files(call, reader, session)
        if not files:
            raise NotFound(
                "the session has no original: it was not read from a file", session=request.session
            )
        chosen = _choose(files, session, request.origin)
        kept = generations(reader, chosen)
        chosen = _older(chosen, kept, request.generation)
        generation = chosen.generation
        size = generation.stored_offset + generation.pending
        data = b""
        if not request.listing:
            size, data = _read(call, reader, chosen, request, size)
    at = request.offset + (
        min(request.limit, max(0, size - request.offset)) if request.allow_gaps else len(data)
    )
    return OriginalAnswer(
        origins=[_origin(info) for info in files],
        origin=chosen.origin.origin.hex(),
        path=chosen.origin.path,
        name=_name(call, session, chosen),
        size=size,
        offset=request.offset,
        data=base64.b64encode(data).decode(),
        done=request.listing or at >= size,
        redactions=generation.redactions,
        identical=not generation.redactions,
        generation=generation.number,
        generations=[item.number for item in kept],
    )


def _older(chosen: OriginInfo, kept: list[Generation], number: int) -> OriginInfo:
    """Return a file with the content of that number; 0: as it is."""
    if not number:
        return chosen
    for generation in kept:
        if generation.number == number:
            return replace(chosen, generation=generation)
    raise NotFound(
        "the archive has no content of that number",
        hint=f"It keeps {', '.join(str(item.number) for item in kept)} of this file.",
        field="generation",
        value=number,
    )


def _files(call: Call, reader: Reader, session: Session) -> list[OriginInfo]:
    """Return a session's files, those in other projects only where the caller may see them."""
    scope = call.scope(reader)
    return [
        info
        for info in origins_everywhere(reader, session)
        if info.origin.project == session.project or scope.allows(info.origin.project, session.session)
    ]


def _read(
    call: Call, reader: Reader, chosen: OriginInfo, request: OriginalRequest, size: int
) -> tuple[int, bytes]:
    """Return the size of the file and its bytes from the offset on; rows of a database become a file of the host."""
    generation, gaps = chosen.generation, request.allow_gaps
    host = call.services.hosts.get(chosen.origin.host)
    if chosen.origin.kind != "stream" or host is None or size > MAX_STREAM:
        return size, restore.read_range(reader, generation, request.offset, request.limit, allow_gaps=gaps)
    kept = b"".join(restore.read_original(reader, generation, allow_gaps=gaps))
    lines = [line + b"\n" for line in kept.split(b"\n") if line]
    whole = b"".join(host.restore(lines))
    return len(whole), whole[request.offset : request.offset + request.limit]


def visible_session(call: Call, reader: Reader, name: str) -> Session:
    """Return the session of that name inside the caller's scope; outside it is as if there were none."""
    session = named(call, reader, name)
    if not visible(call, reader, [session]):
        raise OutOfScope("that session is outside what this client was granted")
    return session


def named(call: Call, reader: Reader, name: str) -> Session:
    """Return the session of that name; the beginning of an id finds those alone of which something may be seen."""
    return resolve_session(reader, name, seen_by(reader, call.scope(reader)))


def visible(call: Call, reader: Reader, sessions: Sequence[Session]) -> list[Session]:
    """Return those that are inside the caller's scope."""
    scope = call.scope(reader)
    own = scope.session if scope.level is Level.SESSION else NO_SESSION
    return [item for item in sessions if scope.allows(item.project, item.session) or item.session == own]


def seen_by(reader: Reader, scope: Scope) -> Callable[[Home | Session], bool]:
    """Return what tells whether anything of a session is inside a scope: a prefix of others means nothing."""
    projects = (scope.project, *scope.linked)

    def sees(home: Home | Session) -> bool:
        if scope.level is not Level.PROJECT:
            return scope.level is Level.ALL or home.session == scope.session
        places = [(project, home.session) for project in projects]
        return any(found is not None for found in reader.get_many(SESSION, places))

    return sees


def session_in(reader: Reader, scope: Scope, name: str) -> Session:
    """Return the session of that name; raise `OutOfScope` where nothing of it is inside a scope."""
    sees = seen_by(reader, scope)
    session = resolve_session(reader, name, sees)
    if not sees(session):
        raise OutOfScope("that session is outside what this client was granted")
    return session


def _choose(files: list[OriginInfo], session: Session, wanted: str) -> OriginInfo:
    if not wanted:
        # The main transcript: of the session's own files (not its companions) the longest comes first.
        return files[0]
    found = [info for info in files if wanted in (info.origin.path, info.origin.origin.hex())]
    found = found or [info for info in files if info.origin.path.endswith("/" + wanted)]
    if len(found) != 1:
        raise NotFound(
            "the session has no such file" if not found else "more than one file of the session ends so",
            session=session.host_session,
            origin=wanted,
            candidates=[info.origin.path for info in files[:20]],
        )
    return found[0]


def _origin(info: OriginInfo) -> dict[str, Any]:
    origin, generation = info.origin, info.generation
    return {
        "origin": origin.origin.hex(),
        "path": origin.path,
        "kind": origin.kind,
        "generation": generation.number,
        "size": generation.stored_offset + generation.pending,
        "lines": generation.lines,
        "unreadable": generation.unreadable,
        "redactions": generation.redactions,
        "gone": iso(origin.gone),
    }


def _name(call: Call, session: Session, chosen: OriginInfo) -> str:
    host = call.services.hosts.get(session.host)
    if host is None or chosen.origin.kind in ("sidecar", "wire"):
        return ""
    parent = session.parent.hex() if session.relation else ""
    head = Head(
        session.host_session, session.cwd, parent, session.relation, session.fork_native, session.title
    )
    try:
        return host.restore_name(head, chosen.origin.path)
    except NotRestorable:  # told where the file is asked for
        return ""
