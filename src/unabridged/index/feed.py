"""What the index needs of a stretch of the log, ready to be sent to the process that writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from unabridged.archive import log
from unabridged.errors import Unsupported
from unabridged.index.status import is_indexed
from unabridged.schema.ids import ProjectId
from unabridged.schema.keys import KeyPart
from unabridged.schema.kinds import Kind
from unabridged.schema.records import (
    CHUNK,
    CHUNK_KIND,
    DOCUMENT,
    EVENT,
    SEGMENT,
    Chunk,
    Event,
    LogEntry,
    Segment,
)
from unabridged.store.contract import Reader

FEED_BYTES = 2 << 20  # bytes of text a feed aims at; one log entry is never split
FEED_ENTRIES = 64  # log entries a feed holds at most
EVENTS_A_SCAN = 500
SEGMENTS_A_LINE = 64

R = TypeVar("R", bound=msgspec.Struct)


class Feed(msgspec.Struct, array_like=True):
    """The events of log entries up to `position` (whose digest is `digest`), with the payload that their texts need.

    Events are packed at once, since thousands of them as records take ten times the room. `size` is the bytes of their
    texts. `retired` lists ordinals of events whose document left search.
    """

    project: ProjectId
    after: int
    position: int
    digest: bytes
    events: list[bytes] = []
    size: int = 0
    segments: list[Segment] = []
    chunks: list[Chunk] = []
    retired: list[int] = []

    def unpacked(self) -> Iterator[Event]:
        """Yield the events."""
        return map(_unpack, self.events)


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Event).decode


def next_feed(reader: Reader, project: ProjectId, after: int, most: int = 0) -> Feed | None:
    """Return what follows log position `after`, or None at the head of the log; `most` bytes of text (0: what the index
    takes at once) are aimed at.
    """
    entries = log.entries(reader, project, after, FEED_ENTRIES)
    if not entries:
        return None
    feed = Feed(project, after, after, b"")
    payload = _Payload(reader, feed)
    for entry in entries:
        _add(reader, feed, payload, entry)
        feed.position, feed.digest = entry.position, log.entry_digest(entry)
        if feed.size >= (most or FEED_BYTES):
            break
    return feed


def _add(reader: Reader, feed: Feed, payload: _Payload, entry: LogEntry) -> None:
    if entry.kind == "retire":
        document = reader.get(DOCUMENT, (entry.project, entry.first))
        feed.retired.extend(document.members if document else [])
        return
    if entry.kind != "append" or not entry.first:
        return
    at = entry.first
    while at <= entry.last:
        page = reader.scan(EVENT, (entry.project,), start=(at,), stop=(entry.last + 1,), limit=EVENTS_A_SCAN)
        for event in page:
            if is_indexed(event):
                feed.events.append(_pack(event))
                feed.size += event.size
                payload.add(event)
        if len(page) < EVENTS_A_SCAN:
            break
        at = page[-1].ordinal + 1


class _Payload:
    """Collects the segments and chunks that events refer to, each once."""

    def __init__(self, reader: Reader, feed: Feed) -> None:
        self._reader = reader
        self._feed = feed
        self._covered = dict[tuple[bytes, int], list[tuple[int, int]]]()
        self._chunks = set[bytes]()

    def add(self, event: Event) -> None:
        """Take what the event's text is made from."""
        for piece in event.pieces:
            if isinstance(piece, list):
                if piece[0] == CHUNK:
                    self._add_chunks(event.project, [bytes.fromhex(str(name)) for name in piece[1:]])
                else:
                    self._add_segments(event)
                    return

    def _add_segments(self, event: Event) -> None:
        at, end = event.offset, event.offset + event.length
        covered = self._covered.setdefault((event.origin, event.generation), [])
        while at < end:
            held = next((span for span in reversed(covered) if span[0] <= at < span[1]), None)
            if held is None:
                key = (event.project, event.origin, event.generation)
                found = self._reader.scan(SEGMENT, key, stop=(at + 1,), reverse=True, limit=1)
                if not found or found[0].start + found[0].size <= at:
                    return  # a hole: the worker reports the event as damaged
                held = (found[0].start, found[0].start + found[0].size)
                covered.append(held)
                self._feed.segments.append(found[0])
            at = held[1]

    def _add_chunks(self, project: ProjectId, digests: Sequence[bytes]) -> None:
        wanted = [digest for digest in digests if digest not in self._chunks]
        self._chunks.update(wanted)
        found = self._reader.get_many(CHUNK_KIND, [(project, digest) for digest in wanted])
        self._feed.chunks.extend(chunk for chunk in found if chunk is not None)


class FeedReader:
    """Reads the payload of a feed as a store's reader would, for `archive/resolve`."""

    def __init__(self, feed: Feed) -> None:
        """Read from `feed`."""
        self._chunks = {chunk.digest: chunk for chunk in feed.chunks}
        self._segments = dict[tuple[bytes, int], list[Segment]]()
        for segment in feed.segments:
            self._segments.setdefault((segment.origin, segment.number), []).append(segment)

    def get(self, kind: Kind[R], key: tuple[KeyPart, ...]) -> R | None:
        """Return a chunk."""
        return self.get_many(kind, [key])[0]

    def get_many(self, kind: Kind[R], keys: Sequence[tuple[KeyPart, ...]]) -> list[R | None]:
        """Return chunks."""
        if kind.tag != CHUNK_KIND.tag:
            raise Unsupported("a feed holds only chunks and segments", kind=kind.name)
        found: list[Any] = [self._chunks.get(key[1]) for key in keys]  # type: ignore[arg-type]
        return found

    def scan(
        self,
        kind: Kind[R],
        prefix: tuple[KeyPart, ...],
        *,
        start: tuple[KeyPart, ...] = (),
        stop: tuple[KeyPart, ...] = (),
        index: str = "",
        reverse: bool = False,
        limit: int = 1,
    ) -> list[R]:
        """Return the one segment that begins last before `stop`."""
        if kind.tag != SEGMENT.tag or not (reverse and limit == 1 and stop) or start or index:
            raise Unsupported("a feed answers only the look-up of a line's segment", kind=kind.name)
        segments: list[Any] = self._segments.get((bytes(prefix[1]), int(prefix[2])), [])  # type: ignore[arg-type]
        below = [segment for segment in segments if segment.start < stop[0]]
        return [max(below, key=lambda segment: segment.start)] if below else []

    def lookup(
        self, kind: Kind[Any], index: str, keys: Sequence[tuple[KeyPart, ...]]
    ) -> list[tuple[KeyPart, ...] | None]:
        """Raise `Unsupported`."""
        raise Unsupported("a feed has no indexes", kind=kind.name, index=index, keys=len(keys))

    def count(self, kind: Kind[Any], prefix: tuple[KeyPart, ...], *, index: str = "") -> int:
        """Raise `Unsupported`."""
        raise Unsupported("a feed does not count", kind=kind.name, index=index, parts=len(prefix))
