"""Retiring and protecting: what leaves normal search, what must not.

A tombstone hides a document (or event) at once; the record itself stays until erasure or expiry removes it, so that a
recall can say truthfully what became of it.
"""

from __future__ import annotations

import msgspec

from unabridged.archive import log
from unabridged.errors import NotFound
from unabridged.schema.ids import Micros, Ordinal, Position, ProjectId
from unabridged.schema.records import (
    COUNTERS,
    DOCUMENT,
    LEASE,
    LOG,
    PIN,
    SUPERSESSION,
    TOMBSTONE,
    Counters,
    Lease,
    LogEntry,
    Pin,
    Supersession,
    Tombstone,
)
from unabridged.store.contract import Batch, Plan, Reader

CHAIN = 4_096  # supersessions followed from one version to the live one


def plan_retire(project: ProjectId, document: Ordinal, reason: str, now: Micros) -> Plan:
    """Return the plan that retires a document: hidden from search, still auditable. Retiring twice does nothing."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        found = reader.get(DOCUMENT, (project, document))
        if found is None:
            raise NotFound("there is no such document")
        if reader.get(TOMBSTONE, (project, found.id)) is not None:
            return batch
        counters = reader.get(COUNTERS, (project,)) or Counters(project)
        position = Position(log.head(reader, project) + 1)
        batch.put(TOMBSTONE, Tombstone(project, found.id, document, reason, now))
        batch.create(LOG, LogEntry(project, position, "retire", found.session, document, document, now))
        batch.put(COUNTERS, msgspec.structs.replace(counters, next_position=position + 1))
        batch.result = position
        return batch

    return plan


def plan_pin(project: ProjectId, document: Ordinal, note: str, now: Micros) -> Plan:
    """Return the plan that protects a document from expiry until it is unpinned."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        if reader.get(DOCUMENT, (project, document)) is None:
            raise NotFound("there is no such document")
        batch.put(PIN, Pin(project, document, note, now))
        return batch

    return plan


def plan_unpin(project: ProjectId, document: Ordinal) -> Plan:
    """Return the plan that takes a pin off."""

    def plan(_: Reader) -> Batch:
        batch = Batch()
        batch.delete(PIN, (project, document))
        return batch

    return plan


def plan_lease(lease: Lease) -> Plan:
    """Return the plan that protects a document until a time; a later time of the same holder renews it."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        held = reader.get(LEASE, (lease.project, lease.document, lease.holder))
        if held is None or held.until < lease.until:
            batch.put(LEASE, lease)
        return batch

    return plan


def is_protected(reader: Reader, project: ProjectId, document: Ordinal, now: Micros) -> bool:
    """Tell whether a pin or a running lease keeps a document from expiring."""
    if reader.get(PIN, (project, document)) is not None:
        return True
    return any(lease.until > now for lease in reader.scan(LEASE, (project, document)))


def live_version(reader: Reader, project: ProjectId, document: Ordinal) -> tuple[Ordinal, list[Supersession]]:
    """Follow supersessions to the live version; return it (0: retired without replacement) with the chain."""
    chain, at = list[Supersession](), document
    while at and len(chain) < CHAIN:
        step = reader.get(SUPERSESSION, (project, at))
        if step is None:
            return at, chain
        chain.append(step)
        at = step.new
    return Ordinal(0), chain
