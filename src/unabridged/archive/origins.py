"""Host files that went away or came back: noted, never mirrored."""

from __future__ import annotations

import msgspec

from unabridged.schema.ids import Micros
from unabridged.schema.records import ORIGIN, Origin
from unabridged.store.contract import Batch, Plan, Reader


def plan_gone(origin: Origin, now: Micros) -> Plan:
    """Return the plan that notes when a host's file was first seen missing (`now` 0: that it is there again).

    Its result is the origin as it stands then. What was read of the file stays as it is.
    """

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        current = reader.get(ORIGIN, (origin.project, origin.origin))
        if current is not None and bool(current.gone) != bool(now):
            current = msgspec.structs.replace(current, gone=now)
            batch.put(ORIGIN, current)
        batch.result = current
        return batch

    return plan
