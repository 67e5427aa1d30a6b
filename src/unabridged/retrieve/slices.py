"""Byte ranges of a document's text, read without building the whole of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter

import msgspec

from unabridged.archive import rendering
from unabridged.archive.resolve import spans
from unabridged.index.windows import windows
from unabridged.retrieve.context import Context
from unabridged.retrieve.cutting import fit
from unabridged.schema import tokens
from unabridged.schema.ids import Ordinal, ProjectId
from unabridged.schema.records import EVENT, Document, Event

WINDOW_BYTES = 3_600  # bytes of a continuation within one long event
BYTES_A_TOKEN = 8  # more than any text has by the strict estimate: empty lines have 6.9


@dataclass(frozen=True, slots=True)
class Slice:
    """A byte range of a text."""

    start: int
    end: int


class Span(msgspec.Struct, frozen=True, gc=False):
    """An event's place in a text; a text has hundreds."""

    event: Ordinal
    start: int
    size: int
    end: int


@dataclass(slots=True)
class Text:
    """A document's text (or one event's, while its turn is open) as spans of events, in order."""

    project: ProjectId
    document: Document | None
    spans: list[Span]
    size: int
    tokens: int
    events: dict[int, Event] = field(default_factory=dict[int, Event])
    cache: dict[int, bytes] = field(default_factory=dict[int, bytes])
    edges: dict[int, list[tuple[int, int]]] = field(default_factory=dict[int, list[tuple[int, int]]])

    def event(self, context: Context, span: Span) -> Event | None:
        """Return a span's event, read once."""
        found = self.events.get(span.event)
        if found is None:
            found = context.reader.get(EVENT, (self.project, span.event))
            if found is not None:
                self.events[span.event] = found
        return found

    def fetch(self, context: Context, spans: list[Span]) -> None:
        """Read the events of spans at once, those that have not been read."""
        wanted = [span.event for span in spans if span.event not in self.events]
        if not wanted:
            return
        found = context.reader.get_many(EVENT, [(self.project, ordinal) for ordinal in wanted])
        self.events.update({event.ordinal: event for event in found if event is not None})
        context.resolver.expect(self.events.values())

    def bytes_of(self, context: Context, span: Span) -> bytes:
        """Return an event's text, read once; empty for an event that is gone."""
        found = self.cache.get(span.event)
        if found is None:
            event = self.event(context, span)
            found = self.cache[span.event] = context.resolver.event_bytes(event) if event is not None else b""
        return found

    def of_event(self, ordinal: Ordinal, start: int, end: int) -> Slice:
        """Return a range of an event as a range of this text."""
        for span in self.spans:
            if span.event == ordinal:
                return Slice(span.start + min(start, span.size), span.start + min(end, span.size))
        return Slice(0, 0)

    def inside(self, chosen: Slice) -> list[Span]:
        """Return the spans that a slice touches (at least one, where there is any)."""
        first = bisect_right(self.spans, chosen.start, key=_end)
        return self.spans[first : bisect_left(self.spans, chosen.end, key=_start)] or self.spans[:1]

    def around(self, chosen: Slice, count: int, most: int) -> list[Span]:
        """Return the spans that a slice touches, and up to `count` on either side until they have `most` bytes."""
        touched = self.inside(chosen)
        first = bisect_right(self.spans, chosen.start, key=_end)
        behind = first + len(touched)
        before, after = self.spans[max(0, first - count) : first], self.spans[behind : behind + count]
        return [*_until(most, reversed(before)), *touched, *_until(most, after)]

    def read(self, context: Context, chosen: Slice) -> bytes:
        """Return the bytes of a slice."""
        parts, at, inside = list[bytes](), chosen.start, self.inside(chosen)
        self.fetch(context, inside)
        for span in inside:
            if span.start > at:
                parts.append(rendering.JOIN[-(span.start - at) :])
                at = span.start
            data = self.bytes_of(context, span)[at - span.start : chosen.end - span.start]
            parts.append(data)
            at += len(data)
        if at < chosen.end and at < self.size:
            parts.append(rendering.JOIN[: chosen.end - at])
        return b"".join(parts)

    def after(self, chosen: Slice) -> tuple[Span, int, int] | None:
        """Return the span and the range in it that follow a slice."""
        following = bisect_right(self.spans, chosen.end, key=_end)
        if following == len(self.spans):
            return None
        span = self.spans[following]
        start = max(0, chosen.end - span.start)
        return span, start, min(span.size, start + WINDOW_BYTES) if start else span.size

    def before(self, chosen: Slice) -> tuple[Span, int, int] | None:
        """Return the span and the range in it that precede a slice."""
        behind = bisect_left(self.spans, chosen.start, key=_start)
        if not behind:
            return None
        span = self.spans[behind - 1]
        end = min(span.size, chosen.start - span.start)
        return span, max(0, end - WINDOW_BYTES) if end < span.size else 0, end


_start, _end = attrgetter("start"), attrgetter("end")


def _until(most: int, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans up to the one with which they have so many bytes."""
    for span in spans:
        yield span
        most -= span.size
        if most <= 0:
            return


def text_of_document(document: Document, known: Event | None = None) -> Text:
    """Return the text of a document, of which an event may be known already."""
    found = [Span(ordinal, at, size, at + size) for ordinal, at, size in spans(document)]
    text = Text(document.project, document, found, document.size, document.tokens)
    if known is not None:
        text.events[known.ordinal] = known
    return text


def text_of_event(event: Event) -> Text:
    """Return the text of a single event."""
    span = Span(event.ordinal, 0, event.size, event.size)
    return Text(event.project, None, [span], event.size, event.tokens, {event.ordinal: event})


def cut_to(context: Context, text: Text, asked: Slice, budget: int) -> Slice:
    """Return the longest beginning of a slice that the strict estimate lets fit the budget, at a character boundary."""
    return _cut(context, text, asked, budget)[0]


def _cut(context: Context, text: Text, asked: Slice, budget: int) -> tuple[Slice, int]:
    """Do so, and return the sum of what its events cost."""
    end, spent = asked.start, 0
    for span in text.inside(asked):
        begin = max(asked.start, span.start)
        data = text.bytes_of(context, span)[begin - span.start : asked.end - span.start]
        cost = tokens.strict(data)
        if spent + cost > budget:
            keep = fit(data, budget - spent, tokens.strict)
            return Slice(asked.start, begin + keep if keep else end), spent
        spent += cost
        end = begin + len(data)
    return Slice(asked.start, end), spent


def neighbourhood(context: Context, text: Text, asked: Slice, count: int, budget: int) -> Slice:
    """Return the slice grown by up to `count` windows to each side, in turns, while the strict estimate fits."""
    text.fetch(context, text.around(asked, count, budget * BYTES_A_TOKEN))
    chosen, spent = _cut(context, text, asked, budget)
    if chosen.end < asked.end or not count:
        return chosen
    left = _windows_before(context, text, chosen, count)
    right = _windows_after(context, text, chosen, count)
    if len(text.inside(chosen)) > 1:  # what joins events counts, too
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


def _edges(context: Context, text: Text, span: Span) -> list[tuple[int, int]]:
    """Return where the windows of a span begin and end in the text."""
    if span.size <= WINDOW_BYTES:
        return [(span.start, span.end)]
    found = text.edges.get(span.event)
    if found is None:
        decoded = text.bytes_of(context, span).decode()
        ranges = windows(decoded).ranges
        places = _byte_places(decoded, {place for both in ranges for place in both})
        found = [(span.start + places[start], span.start + places[end]) for start, end in ranges]
        text.edges[span.event] = found
    return found


def _byte_places(text: str, places: set[int]) -> dict[int, int]:
    """Return the UTF-8 offset of each character offset; every character is encoded once."""
    if text.isascii():
        return {place: place for place in places}
    found, last, size = dict[int, int](), 0, 0
    for place in sorted(places):
        size += len(text[last:place].encode())
        found[place], last = size, place
    return found


def _windows_after(context: Context, text: Text, chosen: Slice, count: int) -> list[int]:
    """Return where the next windows end."""
    ends = list[int]()
    first = bisect_right(text.spans, chosen.end, key=_end)
    for span in text.spans[first : first + count]:
        ends.extend(end for _, end in _edges(context, text, span) if end > chosen.end)
        if len(ends) >= count:
            break
    return ends[:count]


def _windows_before(context: Context, text: Text, chosen: Slice, count: int) -> list[int]:
    """Return where the previous windows begin, nearest first."""
    starts = list[int]()
    behind = bisect_left(text.spans, chosen.start, key=_start)
    for span in reversed(text.spans[max(0, behind - count) : behind]):
        found = [start for start, _ in _edges(context, text, span) if start < chosen.start]
        starts.extend(reversed(found))
        if len(starts) >= count:
            break
    return starts[:count]
