"""Items of the wire whose text a person had erased, from whichever capture it was: they are not archived again."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.archive import rendering, twins
from unabridged.archive import windows as kept
from unabridged.archive.capture import Row, Stream, family_root, line_of, prior
from unabridged.archive.ingest import LineRedactor
from unabridged.hosts.contract import Block
from unabridged.hosts.wire import Wire
from unabridged.schema.ids import GLOBAL, NO_SESSION, Ordinal
from unabridged.schema.records import ERASED, EVENT, TOMBSTONE
from unabridged.schema.windows import WindowHome
from unabridged.store.contract import Reader


def erased_rows(reader: Reader, stream: Stream, rows: Sequence[Row], redactor: LineRedactor) -> set[str]:
    """Return the keys of those items of which a part would be an event that was erased.

    Without any tombstone in the project this reads one record.
    """
    if not rows or not reader.scan(TOMBSTONE, (stream.project,), limit=1):
        return set()
    family = _family(reader, stream)  # what is matched in it is never written
    wire = Wire(stream.host, stream.conversation, stream.format, side=stream.side)
    reading = wire.reader(stream.path, stream.head, b"", 1)
    found = _copies(reader, stream, rows)
    for row in rows:
        line, _ = redactor.line(line_of(row, stream))
        for block in reading.read(line, 1).blocks:
            twin = family.match(_keys(block), twins.wire(stream.format))
            if twin is not None and _is_erased(reader, stream, twin):
                found.add(row.key)
    return found


def _copies(reader: Reader, stream: Stream, rows: Sequence[Row]) -> set[str]:
    """Return the keys of those items of a new conversation that are copies of another one's erased ones."""
    if prior(reader, stream) is not None:
        return set()
    home = WindowHome(GLOBAL, stream.conversation, stream.project, NO_SESSION)
    shared = kept.copied(reader, home, stream.host, [row.key for row in rows])
    return {
        key
        for key, events in shared.items()
        if any(name and _stands_erased(reader, stream, name) for name in events)
    }


def _family(reader: Reader, stream: Stream) -> twins.Family:
    root, captured = family_root(reader, stream)
    found = twins.Family if captured else twins.begin
    return found(reader, stream.project, root)


def _keys(block: Block) -> list[bytes]:
    return twins.keys_of(block, rendering.render(block), (), ())


def _is_erased(reader: Reader, stream: Stream, ordinal: Ordinal) -> bool:
    event = reader.get(EVENT, (stream.project, ordinal))
    if event is None:
        return True
    return _stands_erased(reader, stream, event.id)


def _stands_erased(reader: Reader, stream: Stream, event: bytes) -> bool:
    stone = reader.get(TOMBSTONE, (stream.project, event))
    return stone is not None and stone.reason == ERASED
