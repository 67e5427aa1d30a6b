"""Which class a document's retention falls in, when it may expire.

Expiry entries are written with every document from the start; nothing acts on them while `retention.mode` is "keep",
which is how a fresh install runs: an archive that calls itself unabridged must not delete unasked.
"""

from __future__ import annotations

from unabridged.schema.ids import Micros, Ordinal, ProjectId
from unabridged.schema.records import Expiry

PAYLOAD, CONVERSATION, DERIVED, DURABLE, MANUAL = "payload", "conversation", "derived", "durable", "manual"

DAYS = {PAYLOAD: 14, CONVERSATION: 90, DERIVED: 30, DURABLE: 0, MANUAL: 0}  # days; 0: never
HOUR = 3_600_000_000  # microseconds
NEVER_BUCKET = 0


def expiry(project: ProjectId, document: Ordinal, retention: str, time: Micros) -> Expiry | None:
    """Return the expiry entry of a document whose newest event is from `time`; None for classes that never expire."""
    days = DAYS[retention]
    if not days:
        return None
    return Expiry(project, max(0, time) // HOUR + days * 24, retention, document)
