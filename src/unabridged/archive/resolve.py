"""From stored references back to exact text."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable

from unabridged.archive import rendering
from unabridged.archive.compress import unpack, unpack_first
from unabridged.archive.lazyline import LazyLine, string_at
from unabridged.errors import Corrupt
from unabridged.hosts.lines import body
from unabridged.schema.ids import ChunkDigest, Digest, Ordinal, OriginId, ProjectId
from unabridged.schema.records import CHUNK, CHUNK_KIND, EVENT, SEGMENT, Document, Event, Segment
from unabridged.store.contract import Reader

CACHED_SEGMENTS = 8  # unpacked segments kept (≤ 1 MiB each)
SHARED_SEGMENTS = 32  # unpacked segments that a process keeps for all requests: about 8 MiB
KNOWN_RANGES = 1 << 14  # segments that a process knows the places of: about 2 MiB, for 4 GiB of originals
CACHED_LINES = 64  # decoded lines kept (≤ 256 KiB each)
SINGLE = 2  # references of one event, up to which each is looked for by itself
KEPT_TEXTS, KEPT_BYTES = 16, 65_536  # of events: one request reads its best passages more than once
SEGMENTS_A_READ = 64  # segments that one line can span


def spans(document: Document) -> list[tuple[Ordinal, int, int]]:
    """Return (ordinal, byte offset in the document's text, size) of each member that has text."""
    found, at = list[tuple[Ordinal, int, int]](), 0
    for ordinal, size in zip(document.members, document.sizes, strict=True):
        if not size:
            continue
        if found:
            at += len(rendering.JOIN)
        found.append((ordinal, at, size))
        at += size
    return found


class Unpacked:
    """Unpacked segments by their digest, and where segments stand, shared by the requests of a process.

    For any number of threads.
    """

    def __init__(self, most: int = SHARED_SEGMENTS) -> None:
        """Hold at most so many (≤ 1 MiB each, mostly 256 KiB)."""
        self._lock = threading.Lock()
        self._held = OrderedDict[bytes, bytes]()
        self._most = most
        self._ranges = dict[tuple[OriginId, int], list[tuple[int, int]]]()
        self._count = 0

    def start_of(self, origin: OriginId, number: int, at: int) -> int | None:
        """Return where the segment that holds `at` begins, if that was noted."""
        with self._lock:
            ranges = self._ranges.get((origin, number), ())
            found = bisect_right(ranges, at, key=_start)
            return ranges[found - 1][0] if found and at < ranges[found - 1][1] else None

    def note(self, segment: Segment) -> None:
        """Remember where a segment stands."""
        with self._lock:
            if self._count >= KNOWN_RANGES:
                self._ranges.clear()
                self._count = 0
            ranges = self._ranges.setdefault((segment.origin, segment.number), [])
            found = bisect_left(ranges, segment.start, key=_start)
            known = found < len(ranges) and ranges[found][0] == segment.start
            ranges[found : found + known] = [(segment.start, segment.start + segment.size)]
            self._count += not known

    def first_of(self, segment: Segment, count: int) -> bytes:
        """Return at least the first `count` bytes of a segment: mostly one line of it is wanted."""
        with self._lock:
            data = self._held.get(segment.digest)
            if data is not None and len(data) >= count:
                self._held.move_to_end(segment.digest)
                return data
        if data is not None:
            count = segment.size  # who comes back for more of a segment goes through it
        data = unpack_first(segment.codec, segment.dictionary, segment.data, segment.size, count)
        with self._lock:
            self._held[segment.digest] = data
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return data


def _start(place: tuple[int, int]) -> int:
    return place[0]


class Resolver:
    """Reads texts of events, documents and originals from one snapshot. Not for use by several threads at once."""

    def __init__(self, reader: Reader, unpacked: Unpacked | None = None) -> None:
        """Read through `reader`; `unpacked` is shared with other resolvers."""
        self._reader = reader
        self._unpacked = unpacked
        self._segments = OrderedDict[tuple[OriginId, int, int], tuple[Segment, bytes]]()
        self._newest: tuple[Segment, bytes] | None = None
        self._lines = OrderedDict[tuple[OriginId, int, int], LazyLine]()
        self._expected = dict[tuple[OriginId, int], int]()
        self._texts = OrderedDict[tuple[ProjectId, Ordinal, Digest], bytes]()

    def expect(self, events: Iterable[Event]) -> None:
        """Learn which events will be read, so that a segment is unpacked once, as far as the last of them reaches."""
        for event in events:
            key = (event.origin, event.generation)
            self._expected[key] = max(self._expected.get(key, 0), event.offset + event.length)

    def event_bytes(self, event: Event) -> bytes:
        """Return an event's rendering as UTF-8; raise `Corrupt` where it is not what was admitted."""
        key = (event.project, event.ordinal, event.digest)
        known = self._texts.get(key)
        if known is None:
            text = self._render(event)
            known = _checked(event, text if isinstance(text, bytes) else text.encode())
            if len(known) <= KEPT_BYTES:
                self._texts[key] = known
                if len(self._texts) > KEPT_TEXTS:
                    self._texts.popitem(last=False)
        return known

    def event_text(self, event: Event) -> str:
        """Return an event's rendering; raise `Corrupt` where it is not what was admitted."""
        text = self._render(event)
        if isinstance(text, str) and text.isascii() and len(text) == event.size:
            return text
        data = _checked(event, text if isinstance(text, bytes) else text.encode())
        return text if isinstance(text, str) else data.decode()

    def document_bytes(self, document: Document) -> bytes:
        """Return a document's text as UTF-8: its members' renderings, those that are not empty, joined."""
        keys = [(document.project, ordinal) for ordinal in document.members]
        events = [event for event in self._reader.get_many(EVENT, keys) if event is not None]
        return rendering.JOIN.join([text for event in events if (text := self.event_bytes(event))])

    def original(self, project: ProjectId, origin: OriginId, number: int, start: int, size: int) -> bytes:
        """Return at most `size` bytes of a kept original from `start`; raise `Corrupt` at a hole."""
        parts, at, end = list[bytes](), start, start + size
        if self._newest is not None:  # mostly it holds all of the line that is asked for
            held, data = self._newest
            first = start - held.start
            if (
                held.origin == origin
                and held.number == number
                and first >= 0
                and end - held.start <= len(data)
            ):
                return data[first : end - held.start]
        while at < end:
            segment, data = self._segment(project, origin, number, at, end)
            if segment is None:
                break
            piece = data[at - segment.start : end - segment.start]
            parts.append(piece)
            at += len(piece)
        return b"".join(parts)

    def _segment(
        self, project: ProjectId, origin: OriginId, number: int, at: int, end: int
    ) -> tuple[Segment, bytes] | tuple[None, bytes]:
        """Return the segment that holds `at`, with its bytes up to `end` at least."""
        segment, data = self._known(origin, number, at)
        if segment is None:
            segment = self._read(project, origin, number, at)
            if segment is None:
                return None, b""
        reach = max(end, self._expected.get((origin, number), 0))
        wanted = min(segment.size, reach - segment.start)
        if len(data) < wanted:
            if self._unpacked is not None:
                data = self._unpacked.first_of(segment, wanted)
            else:
                data = unpack(segment.codec, segment.dictionary, segment.data, segment.size)
            self._segments[(origin, number, segment.start)] = self._newest = (segment, data)
            if len(self._segments) > CACHED_SEGMENTS:
                self._segments.popitem(last=False)
        return segment, data

    def _read(self, project: ProjectId, origin: OriginId, number: int, at: int) -> Segment | None:
        """Return the segment that holds `at`. To go there by its key costs a third of looking for it."""
        shared = self._unpacked
        start = shared.start_of(origin, number, at) if shared is not None else None
        if start is not None:
            segment = self._reader.get(SEGMENT, (project, origin, number, start))
            if segment is not None and at < start + segment.size:
                return segment
        found = self._reader.scan(SEGMENT, (project, origin, number), stop=(at + 1,), reverse=True, limit=1)
        if not found or at >= found[0].start + found[0].size:
            return None
        if shared is not None:
            shared.note(found[0])
        return found[0]

    def _known(self, origin: OriginId, number: int, at: int) -> tuple[Segment, bytes] | tuple[None, bytes]:
        for key in reversed(self._segments):
            segment, data = self._segments[key]
            if key[0] == origin and key[1] == number and segment.start <= at < segment.start + segment.size:
                return segment, data
        return None, b""

    def _render(self, event: Event) -> str | bytes:
        pieces = event.pieces
        if not pieces:
            return ""
        if isinstance(pieces[0], list) and pieces[0][0] == CHUNK:
            return self._chunks(event.project, [str(name) for name in pieces[0][1:]])
        raw: bytes | None = None
        line: LazyLine | None = None
        single = sum(isinstance(piece, list) for piece in pieces) <= SINGLE
        texts = list[str]()
        for piece in pieces:
            if isinstance(piece, str):
                texts.append(piece)
                continue
            if raw is None:
                raw = self._line(event)
            text = string_at(raw, piece) if single else None
            if text is None:
                if line is None:
                    line = self._taken_apart(event, raw)
                text = line.follow(piece)
            texts.append(text)
        return texts[0] if len(texts) == 1 else "".join(texts)

    def _line(self, event: Event) -> bytes:
        raw = self.original(event.project, event.origin, event.generation, event.offset, event.length)
        if len(raw) != event.length:
            raise Corrupt("an original has a hole", offset=event.offset, size=len(raw), expected=event.length)
        return raw

    def _taken_apart(self, event: Event, raw: bytes) -> LazyLine:
        key = (event.origin, event.generation, event.offset)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = LazyLine(body(raw, event.offset == 0))
            if len(self._lines) > CACHED_LINES:
                self._lines.popitem(last=False)
        return line

    def _chunks(self, project: ProjectId, names: list[str]) -> bytes:
        keys = [(project, ChunkDigest(bytes.fromhex(name))) for name in names]
        parts = list[bytes]()
        for chunk in self._reader.get_many(CHUNK_KIND, keys):
            if chunk is None:
                raise Corrupt("a chunk is missing")
            parts.append(unpack(chunk.codec, chunk.dictionary, chunk.data, chunk.size))
        return b"".join(parts)


def _checked(event: Event, text: bytes) -> bytes:
    if len(text) != event.size:
        raise Corrupt("an event's text has the wrong size", size=len(text), expected=event.size)
    return text
