"""Small segments of a growing transcript made into large ones."""

from __future__ import annotations

import hashlib

import msgspec

from unabridged.archive.compress import pack, verified
from unabridged.archive.segments import SEGMENT_TARGET
from unabridged.schema.ids import Digest, OriginId, ProjectId
from unabridged.schema.records import COUNTERS, SEGMENT, Segment
from unabridged.store.contract import Batch, Plan, Reader

SMALL = 65_536  # bytes; segments below this are joined with their neighbours
MAX_JOINED = 256  # segments joined by one commit
SCAN = 1_024  # segments looked at by one plan


def plan_pack(project: ProjectId, origin: OriginId, number: int) -> Plan:
    """Return the plan that joins runs of small segments; its result is how many segments it took away.

    Bytes and their order stay as they are; only segments whose kept bytes are the host's own are joined.
    """

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        found = reader.scan(SEGMENT, (project, origin, number), reverse=True, limit=SCAN)
        found.reverse()
        saved = before = after = 0
        for run in _runs(found):
            joined = _join(run)
            for item in run:
                batch.delete(SEGMENT, (project, origin, number, item.start))
            batch.put(SEGMENT, joined)
            saved += len(run) - 1
            before += sum(len(item.data) for item in run)
            after += len(joined.data)
        counters = reader.get(COUNTERS, (project,))
        if saved and counters is not None:
            stored = counters.stored_bytes - before + after
            batch.put(COUNTERS, msgspec.structs.replace(counters, stored_bytes=stored))
        batch.result = saved
        return batch

    return plan


def _runs(segments: list[Segment]) -> list[list[Segment]]:
    """Return runs of two and more neighbours, each below the target together and begun by a small one."""
    runs, run, size = list[list[Segment]](), list[Segment](), 0
    for item in segments:
        fits = item.size < SMALL and not item.provisional and not item.source_digest
        if not fits or size + item.size > SEGMENT_TARGET or len(run) >= MAX_JOINED:
            runs.append(run)
            run, size = [], 0
        if fits:
            run.append(item)
            size += item.size
    runs.append(run)
    return [run for run in runs if len(run) > 1]


def _join(run: list[Segment]) -> Segment:
    data = b"".join(
        [verified(item.codec, item.dictionary, item.data, item.size, item.digest) for item in run]
    )
    codec, dictionary, packed = pack(data)
    first = run[0]
    return Segment(
        first.project,
        first.origin,
        first.number,
        first.start,
        len(data),
        Digest(hashlib.sha256(data).digest()),
        codec,
        dictionary,
        packed,
        first.source,
        sum(item.source_size for item in run),
    )
