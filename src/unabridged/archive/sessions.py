"""Sessions by their names, and in order of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from unabridged.archive import log
from unabridged.errors import AmbiguousName, InvalidInput, SessionNotFound
from unabridged.schema.ids import GLOBAL, OriginId, ProjectId, SessionId
from unabridged.schema.records import GENERATION, HOME, ORIGIN, SESSION, Generation, Home, Origin, Session
from unabridged.store.contract import Reader

MIN_PREFIX = 8  # characters of an id that name a session
PAGE = 1_000
ID_CHARS = 32
CANDIDATES = 1_000  # sessions looked at that begin with a prefix
# Behind a name: what ends it, and what ends all that begin with it.
FIRST_CHARACTER, LAST_CHARACTER = "\0", "\U0010ffff"
# Of a session's files, what was sent on the wire comes behind the host's own transcripts, and companions last.
LATER = {"wire": 1, "sidecar": 2}
TOLD = 10  # of them, that an error names


@dataclass(frozen=True, slots=True)
class OriginInfo:
    """One host file (or stream) of a session with its newest complete generation."""

    origin: Origin
    generation: Generation


def list_sessions(reader: Reader, host: str = "", project: ProjectId | None = None) -> list[Session]:
    """Return all sessions (of a host, of a project), the one that ended last first."""
    wanted = [project] if project is not None else [item.id for item in log.projects(reader)]
    found = list[Session]()
    for name in wanted:
        found.extend(session for session in _of_project(reader, name) if not host or session.host == host)
    found.sort(key=lambda session: (-(session.ended or session.created), session.session))
    return found


def _of_project(reader: Reader, project: ProjectId) -> list[Session]:
    found, start = list[Session](), b""
    while True:
        page = reader.scan(SESSION, (project,), start=(start,) if start else (), limit=PAGE)
        found.extend(page)
        if len(page) < PAGE:
            return found
        start = (int.from_bytes(page[-1].session, "big") + 1).to_bytes(16, "big")


def resolve_session(reader: Reader, name: str, sees: Callable[[Home], bool] | None = None) -> Session:
    """Return the session that `name` means: our id, the host's id, or eight or more first characters of either.

    `sees` tells which sessions a prefix may mean (None: any); an id in full means its session, and the caller checks
    whether it may be seen. Raises `SessionNotFound`, or `AmbiguousName` with the candidates.
    """
    name = name.strip()
    if not name:
        raise InvalidInput("a session's name is empty", field="session")
    found = {home.session: home for home in _by_id(reader, name) + _by_host_id(reader, name)}
    exact = [home for home in found.values() if name in (home.session.hex(), home.host_session)]
    homes = exact or [home for home in found.values() if sees is None or sees(home)]
    if not homes:
        raise SessionNotFound(f"no session is named {name[:80]!r}")
    if len(homes) > 1:
        raise AmbiguousName(
            f"{len(homes)} sessions begin with {name[:80]!r}",
            candidates=[f"{home.host}:{home.host_session}" for home in homes[:TOLD]],
        )
    session = reader.get(SESSION, (homes[0].home, homes[0].session))
    if session is None:
        raise SessionNotFound(f"no session is named {name[:80]!r}")
    return session


def _by_id(reader: Reader, name: str) -> list[Home]:
    if len(name) < MIN_PREFIX or len(name) > ID_CHARS or any(char not in "0123456789abcdef" for char in name):
        return []
    low = bytes.fromhex(name.ljust(ID_CHARS, "0"))
    high = int(name.ljust(ID_CHARS, "f"), 16) + 1
    stop = (high.to_bytes(len(low), "big"),) if high >> 8 * len(low) == 0 else ()
    return reader.scan(HOME, (GLOBAL,), start=(low,), stop=stop, limit=CANDIDATES)


def _by_host_id(reader: Reader, name: str) -> list[Home]:
    # Every prompt of a session that is not archived yet comes by here: nothing is read that has another name.
    stop = name + (LAST_CHARACTER if len(name) >= MIN_PREFIX else FIRST_CHARACTER)
    return reader.scan(HOME, (GLOBAL,), start=(name,), stop=(stop,), index="host_session", limit=CANDIDATES)


def parts_everywhere(reader: Reader, session: Session) -> list[Session]:
    """Return a session, then what it has in other projects: files of it that began in their folders."""
    others = [project.id for project in log.projects(reader) if project.id != session.project]
    found = (reader.get(SESSION, (project, session.session)) for project in others)
    return [session, *(other for other in found if other is not None)]


def origins_everywhere(reader: Reader, session: Session) -> list[OriginInfo]:
    """Return the files of a session in its own project, then those that began in another project's folder."""
    return [info for part in parts_everywhere(reader, session) for info in origins(reader, part)]


def generations(reader: Reader, info: OriginInfo) -> list[Generation]:
    """Return all contents of a file that belong to the same session, oldest first."""
    found = reader.scan(GENERATION, (info.origin.project, info.origin.origin))
    return [item for item in found if item.session == info.generation.session]


def _overwritten(reader: Reader, session: Session) -> list[OriginInfo]:
    """Return the files of a session in whose place another session's file lies by now."""
    newest, start = dict[OriginId, Generation](), ()
    while True:
        page = reader.scan(GENERATION, (session.project,), start=start, limit=PAGE)
        newest.update({item.origin: item for item in page if item.session == session.session})
        if len(page) < PAGE:
            break
        start = (page[-1].origin, page[-1].number + 1)
    found = list[OriginInfo]()
    for generation in newest.values():
        origin = reader.get(ORIGIN, (session.project, generation.origin))
        if origin is not None:
            found.append(OriginInfo(origin, generation))
    return found


def session_of(reader: Reader, session: SessionId) -> Session | None:
    """Return a session by its id."""
    home = reader.get(HOME, (GLOBAL, session))
    return reader.get(SESSION, (home.home, session)) if home is not None else None


def origins(reader: Reader, session: Session) -> list[OriginInfo]:
    """Return a session's host files, transcripts before companions, each with its newest generation."""
    found = list[OriginInfo]()
    for origin in reader.scan(ORIGIN, (session.project, session.session), index="session"):
        newest = reader.scan(GENERATION, (session.project, origin.origin), reverse=True, limit=1)
        if newest:
            found.append(OriginInfo(origin, newest[0]))
    found = found or _overwritten(reader, session)
    found.sort(
        key=lambda info: (
            LATER.get(info.origin.kind, 0),
            -info.generation.stored_offset,
            info.origin.path,
        )
    )
    return found
