"""What models asked the archive in conversations of the wire: kept so that a history can be filled up again."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.archive import log
from unabridged.schema.ids import DocumentId
from unabridged.schema.records import ERASED, TOMBSTONE
from unabridged.schema.windows import WINDOW_ASKED, WindowAsked, WindowHome
from unabridged.store.contract import Batch, Plan, Reader

MOST_ROWS = 400  # of one conversation; the oldest go
MOST_CHARS = 4 << 20  # of their data


def asked_in(reader: Reader, home: WindowHome) -> list[WindowAsked]:
    """Return what is kept of a conversation, the oldest first."""
    found = reader.scan(WINDOW_ASKED, (home.home, home.conversation), limit=2 * MOST_ROWS)
    return sorted(found, key=lambda row: (row.time, row.seed))


def quoting_erased(reader: Reader, rows: Sequence[WindowAsked]) -> set[str]:
    """Return the seeds of those rows that quote what was erased, in whatever project."""
    wanted = sorted({document for row in rows for document in row.documents})
    if not wanted:
        return set()
    gone = set[DocumentId]()
    for project in log.projects(reader):
        stones = reader.get_many(TOMBSTONE, [(project.id, document) for document in wanted])
        gone.update(
            document
            for document, stone in zip(wanted, stones, strict=True)
            if stone and stone.reason == ERASED
        )
    return {row.seed for row in rows if gone.intersection(row.documents)}


def plan_asked(home: WindowHome, rows: Sequence[WindowAsked], drop: Sequence[str]) -> Plan:
    """Return the plan that keeps rows and forgets others; its result is all that is kept then."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        before = {row.seed: row for row in asked_in(reader, home)}
        kept = {seed: row for seed, row in before.items() if seed not in drop}
        kept.update({row.seed: row for row in rows})
        for seed in quoting_erased(reader, list(kept.values())):
            del kept[seed]
        newest = sorted(kept.values(), key=lambda row: (row.time, row.seed), reverse=True)
        left, size = list[WindowAsked](), 0
        for row in newest[:MOST_ROWS]:
            size += len(row.data)
            if size > MOST_CHARS:
                break
            left.append(row)
        after = {row.seed: row for row in left}
        for seed in before.keys() - after.keys():
            batch.delete(WINDOW_ASKED, (home.home, home.conversation, seed))
        for seed, row in after.items():
            if before.get(seed) != row:
                batch.put(WINDOW_ASKED, row)
        batch.result = left[::-1]
        return batch

    return plan
