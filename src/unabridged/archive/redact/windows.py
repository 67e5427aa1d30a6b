"""Looks for secrets in a JSON string's content: decodes it around candidates, in blocks where many are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from unabridged.archive.redact import jsontext
from unabridged.archive.redact.candidates import Candidates, Regions
from unabridged.archive.redact.rule import Span
from unabridged.archive.redact.scan import MAX_TOKEN, Scanner

LEFT = 512  # bytes before a candidate that its rule may look at; `tokens.JWK` is the most
RIGHT = 384  # bytes behind a candidate that are looked at first; more only when a value runs into their end
FAR = 8_192  # bytes on both sides of what its neighbours may tell; a JSON web key is the longest
MANY = (
    24  # candidates of one window from which on the string is decoded in blocks: to look for each costs more
)
BLOCK = 131_072  # bytes decoded at once, so that a huge line takes bounded memory
DENSE = 8_192  # bytes of a window from which a second scan would cost more than a long look ahead at once
MAX_RIGHT = 65_536  # bytes behind a candidate at the very most: no secret is longer


def string_spans(
    scanner: Scanner, data: bytes, bounds: tuple[int, int], at: int, regions: Regions
) -> Iterator[Span]:
    """Find the secrets in `data[low:high]`, the content of a string, from its first candidate at `at` on."""
    low, high = bounds
    candidates = Candidates(scanner, data, high, regions)
    place = at
    recent: deque[int] = deque(maxlen=MANY)
    while place >= 0:
        recent.append(place)
        first = max(low, place)
        if len(recent) == MANY and place - recent[0] < BLOCK // 2:
            last = min(high, first + BLOCK)
            yield from _window(scanner, data, bounds, (first, last, min(high, last + MAX_TOKEN)), FAR)
            place = candidates.open_after(last) if last < high else -1
            if place - last < BLOCK // MANY:
                recent.extend([place] * MANY)  # it goes on as dense
            continue
        last = first
        far = scanner.looks_far(data, place)
        stop = min(high, last + (FAR if far else RIGHT))
        place = candidates.open_after(place + 1)
        while 0 <= place < stop and len(recent) < MANY:
            last = place
            recent.append(place)
            kind = scanner.looks_far(data, place)
            stop = max(stop, min(high, last + (FAR if kind else RIGHT)))
            far = far or kind
            place = candidates.open_after(place + 1)
        if stop - first > DENSE:
            stop = min(high, last + MAX_TOKEN)
        yield from _window(scanner, data, bounds, (first, last, stop), FAR if far else LEFT)


def _window(
    scanner: Scanner, data: bytes, bounds: tuple[int, int], place: tuple[int, int, int], left: int
) -> Iterator[Span]:
    """Scan around the candidates from `first` to `last`, at first up to `stop`, further as values run into its end."""
    low, high = bounds
    first, last, stop = place
    start = jsontext.safe_start(data, max(low, first - left), low)
    head = jsontext.safe_start(data, first, low)
    before = jsontext.decode(data[start:head])
    begin = len(before)
    if data.startswith(b"\\u", head):
        # A letter is escaped: the candidate may begin before it. (0 would pass for the text's start.)
        begin = 0 if start == low else min(1, begin)
    while True:
        end = stop if stop == high else max(jsontext.safe_start(data, stop, low), last + 1)
        text = before + jsontext.decode(data[head:end])
        until = len(text)
        if end - head > DENSE and end < high:
            # Candidates behind the last are the next window's: here their values run into the end for nothing.
            until = 1 + len(before) + len(jsontext.decode(data[head : jsontext.safe_start(data, last, low)]))
        spans, short = scanner.spans(text, begin, until)
        if not short or end == high or stop - last >= MAX_RIGHT:
            yield from mapped(data, start, end, spans)
            return
        stop = min(high, last + (stop - last) * 4)


def mapped(data: bytes, start: int, end: int, spans: list[Span]) -> Iterator[Span]:
    """Move places in the decoded content of `data[start:end]` to places in `data`."""
    if not spans:
        return
    places = sorted({place for span in spans for place in (span.start, span.end)})
    raw = dict(zip(places, jsontext.raw_places(data[start:end], places), strict=True))
    for span in spans:
        yield Span(start + raw[span.start], start + raw[span.end], span.rule, span.kind)
