"""Applies stretches of the log to a table: texts to spans, spans to vectors, vectors to rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unabridged.archive.resolve import Resolver
from unabridged.errors import UnabridgedError
from unabridged.index.feed import FeedReader
from unabridged.models.contract import Embedder, Read
from unabridged.models.onnxfile import Array
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import SIDE as SIDE_FLAG
from unabridged.schema.records import Event
from unabridged.vectors import spans, table
from unabridged.vectors.feed import Stretch

BATCH = 64  # spans embedded in one call: enough to put those of like length together


class Span(NamedTuple):
    """A span of an event: its byte range, the text that is embedded, and how many characters of that are context."""

    start: int
    end: int
    text: str
    context: int = 0


class Writer:
    """The one writer of a table; not for use by several threads."""

    def __init__(self, folder: Path, embedder: Embedder, most_bytes: int) -> None:
        """Open the table; raises as `Table` does. At `most_bytes` nothing more is added, and `full` says so."""
        self._table = table.Table(folder, embedder.identity)
        self._embedder = embedder
        self._most = most_bytes
        self.watermarks = dict(self._table.watermarks)
        self.damaged = 0  # events whose text could not be read

    @property
    def count(self) -> int:
        """Rows, those that are not committed yet too."""
        return self._table.count

    @property
    def full(self) -> bool:
        """Whether no more rows are taken: the bound on the disk is reached."""
        return self._table.size >= self._most

    def apply(self, stretch: Stretch) -> None:
        """Add a stretch; one that is there already, or that leaves a gap, adds nothing."""
        feed = stretch.feed
        if feed.after != self.watermarks.get(feed.project, (0, b""))[0] or self.full:
            return
        waiting = list[tuple[Event, Span]]()
        for pair in self._spans(stretch):
            waiting.append(pair)
            if len(waiting) >= BATCH:
                self._add(waiting)
                waiting.clear()
        self._add(waiting)
        if feed.retired:
            self._table.blank(feed.project, feed.retired)
        self.watermarks[feed.project] = (feed.position, feed.digest)

    def commit(self) -> None:
        """Make everything applied durable, together with the watermarks."""
        self._table.commit(self.watermarks)

    def close(self) -> None:
        """Give the table up."""
        self._table.close()

    def _add(self, pairs: Sequence[tuple[Event, Span]]) -> None:
        if not pairs:
            return
        found = self._embedder.read([span.text for _, span in pairs])
        tokens = [_own(span, read) for (_, span), read in zip(pairs, found, strict=True)]
        self._table.add(_rows(pairs), np.stack([read.row for read in found]), tokens)

    def _spans(self, stretch: Stretch) -> Iterator[tuple[Event, Span]]:
        resolver = Resolver(FeedReader(stretch.feed))
        known = {int(event.ordinal): event for event in stretch.feed.unpacked()}
        for event in known.values():
            try:
                text = resolver.event_text(event)
                before = self._before(stretch, resolver, known, event.ordinal)
            except UnabridgedError:
                self.damaged += 1  # the archive's own check reports it; the rest must not wait for it
                continue
            for span in spans_of(self._embedder, event, text, before):
                yield event, span

    def _before(self, stretch: Stretch, resolver: Resolver, known: dict[int, Event], ordinal: int) -> str:
        follows = stretch.follows.get(ordinal)
        if follows is not None:
            return resolver.event_text(known[follows])[-spans.TAIL_CHARS :]
        return stretch.ends.get(ordinal, "")


def spans_of(embedder: Embedder, event: Event, text: str, before: str) -> list[Span]:
    """Return an event's spans: a pure function of its text and of the end of the text before it."""
    most = spans.most_of(event.kind)
    seen = text[: most * spans.MOST_CHARS]
    ranges = spans.spans(seen, embedder.tokens(seen), most)
    found, at, chars = list[Span](), 0, 0
    context = spans.tail(before, embedder.tokens(before)) if before else ""
    for start, end in ranges:
        at += len(seen[chars:start].encode())
        own = seen[start:end]
        size = len(own.encode())
        text = f"{context}\n{own}" if context else own
        found.append(Span(at, at + size, text, len(text) - len(own)))
        at, chars = at + size, end
        end_of_own = own[-spans.TAIL_CHARS :]
        context = spans.tail(end_of_own, embedder.tokens(end_of_own)) if len(ranges) > 1 else ""
    return found


def _own(span: Span, read: Read) -> Array:
    """Return the tokens of a span without those of its context."""
    return read.tokens[[at for at, (start, _) in enumerate(read.places) if start >= span.context]]


def _rows(pairs: Sequence[tuple[Event, Span]]) -> Array:
    rows = np.zeros(len(pairs), table.ROW)
    for at, (event, span) in enumerate(pairs):
        rows[at] = (
            table.prefix(event.project),
            table.prefix(event.session),
            event.ordinal,
            event.time,
            span.start,
            span.end,
            table.name(event.role),
            table.name(event.kind),
            table.name(event.host),
            table.name(event.tool),
            table.SIDE if event.flags & SIDE_FLAG else 0,
            0,
            0,
        )
    return rows


def position(watermarks: dict[ProjectId, tuple[int, bytes]], project: ProjectId) -> int:
    """Return the log position that watermarks have of a project."""
    return watermarks.get(project, (0, b""))[0]
