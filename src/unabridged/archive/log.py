"""The log: what changed, in one gapless order per project.

A follower is a cursor and a function: it reads entries behind its cursor, makes its effect durable, then moves the
cursor (with the digest of the entry it stands on). A cursor beyond the log, or on another entry than it remembers,
means that the follower's state must be rebuilt.
"""

from __future__ import annotations

from unabridged.schema import codec
from unabridged.schema.ids import GLOBAL, Micros, ProjectId
from unabridged.schema.records import (
    COUNTERS,
    CURSOR,
    LOG,
    PARKED,
    PROJECT,
    Cursor,
    LogEntry,
    Parked,
    Project,
)
from unabridged.store.contract import Batch, Plan, Reader

PAGE = 512  # entries read at once


def projects(reader: Reader) -> list[Project]:
    """Return every project of the store."""
    found, start = list[Project](), b""
    while True:
        page = reader.scan(PROJECT, (GLOBAL,), start=(start,) if start else (), limit=PAGE)
        found.extend(page)
        if len(page) < PAGE:
            return found
        start = (int.from_bytes(page[-1].id, "big") + 1).to_bytes(16, "big")


def head(reader: Reader, project: ProjectId) -> int:
    """Return the position of the project's newest entry, 0 when it has none."""
    counters = reader.get(COUNTERS, (project,))
    return counters.next_position - 1 if counters else 0


def entries(reader: Reader, project: ProjectId, after: int, limit: int = PAGE) -> list[LogEntry]:
    """Return at most `limit` entries behind position `after`, in order."""
    return reader.scan(LOG, (project,), start=(after + 1,), limit=limit)


def entry_digest(entry: LogEntry) -> bytes:
    """Return the digest by which a cursor remembers an entry."""
    return codec.entry_digest(LOG.encode(entry))


def is_consistent(reader: Reader, project: ProjectId, position: int, digest: bytes) -> bool:
    """Tell whether a follower that stands at `position` on an entry of `digest` belongs to this log."""
    if not position:
        return True
    entry = reader.get(LOG, (project, position))
    return entry is not None and entry_digest(entry) == digest


def cursor(reader: Reader, project: ProjectId, follower: str) -> Cursor:
    """Return a follower's cursor (at 0 where it has none)."""
    return reader.get(CURSOR, (project, follower)) or Cursor(project, follower, 0, b"", Micros(0))


def plan_cursor(moved: Cursor) -> Plan:
    """Return the plan that moves a cursor; it never moves one backwards unless to 0, a rebuild."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        current = cursor(reader, moved.project, moved.follower)
        if moved.position > current.position or not moved.position:
            batch.put(CURSOR, moved)
        return batch

    return plan


def plan_park(parked: Parked) -> Plan:
    """Return the plan that sets an entry aside that a follower keeps failing on."""

    def plan(_: Reader) -> Batch:
        batch = Batch()
        batch.put(PARKED, parked)
        return batch

    return plan


def parked(reader: Reader, project: ProjectId, follower: str) -> list[Parked]:
    """Return the entries that a follower has set aside."""
    return reader.scan(PARKED, (project, follower))
