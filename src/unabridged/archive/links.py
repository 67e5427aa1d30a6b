"""Projects that the user joined: each sees the other's sessions, neither loses its own."""

from __future__ import annotations

import msgspec

from unabridged.errors import Conflict
from unabridged.schema.ids import GLOBAL, Micros, ProjectId, project_id
from unabridged.schema.records import PROJECT, Project
from unabridged.store.contract import Batch, Plan, Reader

MAX_LINKS = 256  # of one project; every question looks at all of them


def plan_link(root: str, other: str, now: Micros) -> Plan:
    """Return the plan (for the global project) that joins the projects of two roots; joining twice changes nothing."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        first, second = _project(reader, root, now), _project(reader, other, now)
        if first.id != second.id:
            first, second = _joined(first, second.id), _joined(second, first.id)
            for project in (first, second):
                if len(project.links) > MAX_LINKS:
                    raise Conflict("a project has too many links", limit=MAX_LINKS)
                batch.put(PROJECT, project)
        batch.result = [first, second]
        return batch

    return plan


def plan_unlink(root: str, now: Micros) -> Plan:
    """Return the plan that takes a root's project out of every link."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        project = _project(reader, root, now)
        for name in project.links:
            other = reader.get(PROJECT, (GLOBAL, name))
            if other is not None:
                kept = [item for item in other.links if item != project.id]
                batch.put(PROJECT, msgspec.structs.replace(other, links=kept))
        if project.links:
            project = msgspec.structs.replace(project, links=[])
            batch.put(PROJECT, project)
        batch.result = [project]
        return batch

    return plan


def _project(reader: Reader, root: str, now: Micros) -> Project:
    name = project_id(root)
    found = reader.get(PROJECT, (GLOBAL, name))
    title = root.rstrip("/").rsplit("/", 1)[-1] or root
    return found or Project(GLOBAL, name, title, [root], now)


def _joined(project: Project, other: ProjectId) -> Project:
    if other in project.links:
        return project
    return msgspec.structs.replace(project, links=[*project.links, other])
