"""Which conversation a request for a hint means, archived or not yet, and how far that may look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from unabridged.archive import hints
from unabridged.archive.hints import Place
from unabridged.archive.sessions import ID_CHARS, resolve_session, session_of
from unabridged.errors import OutOfScope, SessionNotFound
from unabridged.retrieve.hintlineage import Lineage, lineage_of
from unabridged.schema.ids import GLOBAL, ProjectId, SessionId, session_id
from unabridged.schema.records import Home, Session
from unabridged.schema.scope import Level, Scope
from unabridged.service.caller import Call, level_of, links_of
from unabridged.service.handlers.sessions import seen_by
from unabridged.store.contract import Reader

UNKNOWN = "unknown"  # the host of a session whose host nobody named


class Named(Protocol):
    """A request that names a session."""

    @property
    def session(self) -> str:
        """Any name of it."""
        ...

    @property
    def host(self) -> str:
        """Its host, or empty."""
        ...

    @property
    def project(self) -> str:
        """A project, or empty."""
        ...

    @property
    def scope(self) -> str:
        """A scope, or empty."""
        ...


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session with what it goes on from, the project that its hints stand in, and what they may look at."""

    lineage: Lineage
    project: ProjectId
    scope: Scope

    @property
    def places(self) -> list[Place]:
        """Where its hints stand: its own, then those of what it goes on from."""
        return [
            (self.project, self.lineage.name),
            *((item.project, item.session) for item in self.lineage.ancestors),
        ]


def conversation_of(call: Call, reader: Reader, request: Named) -> Conversation:
    """Return the conversation that a request names; raise `OutOfScope`, `AmbiguousName`, `InvalidInput`, `NotFound`."""
    if request.scope:
        level_of(request.scope)
    wanted = request.session.strip()
    widest = call.scope(reader)
    session = _archived(reader, wanted, request.host, seen_by(reader, widest))
    granted = call.scope(reader, request.scope or "project", request.project)
    name = session.session if session else _unarchived(call, reader, granted.project, wanted, request.host)
    lineage = lineage_of(reader, name)
    if session is None:
        return Conversation(lineage, granted.project, _placed(granted, granted.project, name))
    if not widest.allows(session.project, session.session):
        raise OutOfScope("that session is outside what this client was granted")
    at_home = granted.project in (GLOBAL, session.project) or request.project == ""
    if at_home and granted.level is not Level.ALL:
        granted = Scope(granted.level, session.project, name, links_of(reader, session.project))
    return Conversation(lineage, session.project, _placed(granted, granted.project, name))


def _placed(scope: Scope, project: ProjectId, session: SessionId) -> Scope:
    return Scope(scope.level, project, session, scope.linked)


def _unarchived(call: Call, reader: Reader, project: ProjectId, name: str, host: str) -> SessionId:
    """Return the id of a session that is not archived yet: by its host's id, or by the one that an answer gave.

    Without a host it is the one under which something was decided.
    """
    if host:
        return session_id(host, name)
    if len(name) == ID_CHARS and not set(name) - set("0123456789abcdef"):
        return SessionId(bytes.fromhex(name))
    found = [session_id(known, name) for known in (UNKNOWN, *call.services.hosts)]
    return next((item for item in found if hints.has_any(reader, (project, item))), found[0])


def _archived(reader: Reader, name: str, host: str, sees: Callable[[Home | Session], bool]) -> Session | None:
    """Return the archived session of that name; None where it is not archived yet."""
    if host:
        exact = session_of(reader, session_id(host, name))
        if exact is not None:
            return exact
    try:
        found = resolve_session(reader, name, sees)
    except SessionNotFound:
        return None
    return found if not host or found.host == host else None
