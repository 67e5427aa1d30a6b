"""Who asks: what a connection was granted, and which project it is at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from unabridged.archive import log
from unabridged.archive.project import root_of
from unabridged.archive.sessions import resolve_session
from unabridged.errors import InvalidInput, NotFound, OutOfScope
from unabridged.schema.ids import GLOBAL, NO_SESSION, Micros, ProjectId, project_id
from unabridged.schema.records import PROJECT, Project
from unabridged.schema.scope import Level, Scope
from unabridged.service.ports import Check, Progress, Services
from unabridged.service.requests import Answer
from unabridged.store.contract import Reader

LEVELS = {"session": Level.SESSION, "project": Level.PROJECT, "all": Level.ALL}
ID_CHARS = 32  # of a project id in hexadecimal
MAX_PATH_CHARS = 4_096
NO_HOST = "unknown"


def level_of(name: str, field: str = "scope") -> Level:
    """Return the level of that name; raise `InvalidInput`."""
    found = LEVELS.get(name)
    if found is None:
        raise InvalidInput(f"{field} must be one of session, project, all", field=field)
    return found


@dataclass(frozen=True, slots=True)
class Caller:
    """One connection: the widest level it may see, the folder it works in ("": none), the session it serves."""

    granted: Level = Level.ALL
    folder: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer that a commit brings: `answer` makes it of what `commit` gives, in the thread that finishes that.

    `answer` must neither wait nor raise. No thread of the caller's side waits meanwhile, so that any number of requests
    can share one flush.
    """

    commit: Future[Any]
    answer: Callable[[Any], Answer]


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a caller, with the means to report progress and to learn that nobody waits any longer."""

    services: Services
    caller: Caller
    progress: Progress
    check: Check
    now: Micros

    def scope(self, reader: Reader, level: str = "", project: str = "", session: str = "") -> Scope:
        """Return what this request may see: the smaller of what is granted and what it asks for.

        `project` (a path, or an id) moves it to another project, which needs the grant of all unless that is the
        caller's own or a linked one. `session` is one that the request names: where it asks for the scope of a session
        and its caller serves none, it is that one. Raises `OutOfScope`, `InvalidInput`, `NotFound`.
        """
        granted = self.caller.granted
        asked = min(granted, level_of(level)) if level else granted
        own = self._own(reader) if self.caller.folder else GLOBAL
        linked = links_of(reader, own)
        if project:
            wanted = self._wanted(reader, project)
            if granted is not Level.ALL and wanted != own and wanted not in linked:
                raise OutOfScope("that project is outside what this client was granted")
            if reader.get(PROJECT, (GLOBAL, wanted)) is None:
                raise NotFound(
                    "nothing of that project is archived",
                    project=project,
                    hint="`una project list` names all.",
                )
            own, linked = wanted, links_of(reader, wanted)
            asked = min(asked, Level.PROJECT)
        if asked is not Level.SESSION:
            return Scope(asked, own, NO_SESSION, linked)
        if self.caller.session:
            return Scope(asked, own, resolve_session(reader, self.caller.session).session, linked)
        if granted is Level.SESSION:  # it was granted one session and serves none
            return Scope(asked, own, NO_SESSION, linked)
        if not session:
            raise InvalidInput(
                "the scope of a session needs a session",
                field="scope",
                hint="Name one with the session filter.",
            )
        return self._of_session(reader, Scope(granted, own, NO_SESSION, linked), session)

    def _of_session(self, reader: Reader, seen: Scope, name: str) -> Scope:
        """Return the scope of a session of that name, of those that the caller sees."""
        found = resolve_session(reader, name, lambda item: seen.allows(item.project, item.session))
        if not seen.allows(found.project, found.session):
            raise OutOfScope("that session is outside what this client was granted")
        return Scope(Level.SESSION, found.project, found.session, seen.linked)

    def narrows(self, level: str) -> bool:
        """Tell whether a request asks for more than this caller was granted."""
        return bool(level) and level_of(level) > self.caller.granted

    def _wanted(self, reader: Reader, name: str) -> ProjectId:
        """Return the project of that name; who may not see all does not learn which ids there are."""
        try:
            return find_project(reader, name, apart=self.services.folders.apart)
        except NotFound:
            if self.caller.granted is Level.ALL:
                raise
        raise OutOfScope("that project is outside what this client was granted")

    def visible(self, reader: Reader, projects: Sequence[Project]) -> list[Project]:
        """Return those of some projects that this caller may see as a whole."""
        if self.caller.granted is Level.ALL:
            return list(projects)
        scope = self.scope(reader)
        return [item for item in projects if scope.allows(item.id)]

    def root(self, folder: str) -> str:
        """Return the root of the project that a folder lies in."""
        return self.services.folders.root(folder, NO_HOST, self.services.clock())

    def _own(self, reader: Reader) -> ProjectId:
        """Return the project that the caller's folder lies in."""
        folder = self.caller.folder
        if not folder.startswith("/"):
            return find_project(reader, folder)
        root = self.root(folder)
        return self.services.folders.project(root, self.services.clock(), lambda: _project_at(reader, root))


def find_project(reader: Reader, name: str, *, apart: bool = False) -> ProjectId:
    """Return the project that a path lies in, or that an id names; raise `NotFound` for an id that names none."""
    if "\0" in name or len(name) > MAX_PATH_CHARS:
        raise InvalidInput("that is not the path of a folder", field="project", limit=MAX_PATH_CHARS)
    if "/" not in name and len(name) == ID_CHARS and not set(name) - set("0123456789abcdef"):
        project = ProjectId(bytes.fromhex(name))
        if reader.get(PROJECT, (GLOBAL, project)) is None:
            raise NotFound("no project has that id", project=name)
        return project
    if name.startswith("host:"):
        return project_id(name)
    return _project_at(reader, root_of(name, NO_HOST, apart=apart))


def _project_at(reader: Reader, root: str) -> ProjectId:
    moved = _moved_to(reader, root)
    return moved if moved is not None else project_id(root)


def _moved_to(reader: Reader, root: str) -> ProjectId | None:
    """Return the project that lists `root` as a further root of its own."""
    own = reader.get(PROJECT, (GLOBAL, project_id(root)))
    if own is not None:
        return own.id
    for project in log.projects(reader):
        if root in project.roots:
            return project.id
    return None


def links_of(reader: Reader, project: ProjectId) -> frozenset[ProjectId]:
    """Return the projects that the user joined to this one."""
    record: Project | None = reader.get(PROJECT, (GLOBAL, project)) if project != GLOBAL else None
    return frozenset(record.links) if record is not None else frozenset()
