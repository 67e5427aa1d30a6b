"""Byte ranges of a document's text, read without building the whole of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from unabridged.archive import rendering
from unabridged.index.windows import windows
from unabridged.retrieve.context import Context
from unabridged.schema import tokens
from unabridged.schema.records import Document, Event

WINDOW_BYTES = 3_600  # bytes of a continuation within one long event


@dataclass(frozen=True, slots=True)
class Slice:
    """A byte range of a text."""

    start: int
    end: int


@dataclass(slots=True)
class Text:
    """A document's text (or one event's, while its turn is open) as spans of events."""

    document: Document | None
    spans: list[tuple[Event, int]]  # non-empty events with their byte offsets
    size: int
    tokens: int
    cache: dict[int, bytes] = field(default_factory=dict[int, bytes])

    def bytes_of(self, context: Context, event: Event) -> bytes:
        """Return an event's text, read once."""
        found = self.cache.get(event.ordinal)
        if found is None:
            found = self.cache[event.ordinal] = context.resolver.event_bytes(event)
        return found

    def of_event(self, event: Event, start: int, end: int) -> Slice:
        """Return a range of an event as a range of this text."""
        for member, at in self.spans:
            if member.ordinal == event.ordinal:
                return Slice(at + start, at + min(end, event.size))
        return Slice(0, 0)

    def inside(self, chosen: Slice) -> list[tuple[Event, int]]:
        """Return the events that a slice touches (at least one)."""
        found = [
            (event, at) for event, at in self.spans if at < chosen.end and at + event.size > chosen.start
        ]
        return found or self.spans[:1]

    def read(self, context: Context, chosen: Slice) -> bytes:
        """Return the bytes of a slice."""
        parts, at = list[bytes](), chosen.start
        for event, offset in self.inside(chosen):
            if offset > at:
                parts.append(rendering.JOIN[-(offset - at) :] if offset - at <= len(rendering.JOIN) else b"")
                at = offset
            data = self.bytes_of(context, event)[at - offset : chosen.end - offset]
            parts.append(data)
            at += len(data)
        if at < chosen.end and at < self.size:
            parts.append(rendering.JOIN[: chosen.end - at])
        return b"".join(parts)

    def after(self, chosen: Slice) -> tuple[Event, int, int] | None:
        """Return the event and range that follow a slice."""
        for event, at in self.spans:
            if at + event.size > chosen.end:
                start = max(0, chosen.end - at)
                return event, start, min(event.size, start + WINDOW_BYTES) if start else event.size
        return None

    def before(self, chosen: Slice) -> tuple[Event, int, int] | None:
        """Return the event and range that precede a slice."""
        for event, at in reversed(self.spans):
            if at < chosen.start:
                end = min(event.size, chosen.start - at)
                return event, max(0, end - WINDOW_BYTES) if end < event.size else 0, end
        return None


def open_text(context: Context, event: Event | None, document: Document | None) -> Text:
    """Return the text of a document, or of a single event."""
    if document is not None:
        spans = [(member, at) for member, at in context.resolver.spans(document) if member.size]
        if spans:
            return Text(document, spans, document.size, document.tokens)
        spans = context.resolver.spans(document)[:1]
        return Text(document, spans, document.size, document.tokens)
    assert event is not None
    return Text(None, [(event, 0)], event.size, event.tokens)


def cut_to(context: Context, text: Text, asked: Slice, budget: int) -> Slice:
    """Return the longest beginning of a slice that the strict estimate lets fit the budget, at a character boundary."""
    end, spent = asked.start, 0
    for event, at in text.inside(asked):
        data = text.bytes_of(context, event)[max(0, asked.start - at) : asked.end - at]
        cost = tokens.strict(data)
        if spent + cost <= budget:
            spent += cost
            end = min(asked.end, at + event.size)
            continue
        keep = _fit(data, budget - spent)
        return Slice(asked.start, max(end, max(asked.start, at) + keep) if keep else end)
    return Slice(asked.start, max(end, min(asked.end, asked.start)))


def _fit(data: bytes, budget: int) -> int:
    """Return how many first bytes of UTF-8 text fit a strict budget."""
    low, high = 0, len(data)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens.strict(data[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    while low < len(data) and low and data[low] & 0xC0 == 0x80:
        low -= 1
    return low


def neighbourhood(context: Context, text: Text, asked: Slice, count: int, budget: int) -> Slice:
    """Return the slice grown by up to `count` windows to each side, in turns, while the strict estimate fits."""
    chosen = cut_to(context, text, asked, budget)
    if chosen.end < asked.end or not count:
        return chosen
    left = _windows_before(context, text, chosen, count)
    right = _windows_after(context, text, chosen, count)
    spent = tokens.strict(text.read(context, chosen))
    while left or right:
        for side, forward in ((right, True), (left, False)):
            if not side:
                continue
            edge = side.pop(0)
            grown = Slice(chosen.start, edge) if forward else Slice(edge, chosen.end)
            added = Slice(chosen.end, edge) if forward else Slice(edge, chosen.start)
            cost = tokens.strict(text.read(context, added))
            if spent + cost > budget:
                side.clear()
                continue
            chosen, spent = grown, spent + cost
    return chosen


def _edges(context: Context, text: Text, event: Event, at: int) -> list[tuple[int, int]]:
    data = text.bytes_of(context, event)
    if len(data) <= WINDOW_BYTES:
        return [(at, at + len(data))]
    decoded = data.decode()
    if decoded.isascii():
        return [(at + start, at + end) for start, end in windows(decoded).ranges]
    return [
        (at + len(decoded[:start].encode()), at + len(decoded[:end].encode()))
        for start, end in windows(decoded).ranges
    ]


def _windows_after(context: Context, text: Text, chosen: Slice, count: int) -> list[int]:
    """Return where the next windows end."""
    ends = list[int]()
    for event, at in text.spans:
        if at + event.size <= chosen.end:
            continue
        ends.extend(end for _, end in _edges(context, text, event, at) if end > chosen.end)
        if len(ends) >= count:
            break
    return ends[:count]


def _windows_before(context: Context, text: Text, chosen: Slice, count: int) -> list[int]:
    """Return where the previous windows begin, nearest first."""
    starts = list[int]()
    for event, at in reversed(text.spans):
        if at >= chosen.start:
            continue
        found = [start for start, _ in _edges(context, text, event, at) if start < chosen.start]
        starts.extend(reversed(found))
        if len(starts) >= count:
            break
    return starts[:count]
