"""From feeds to the lexical index: what the index worker does.

Windows and the log positions that they stand for are committed in one step, so after a crash the index is exactly an
earlier state of itself, and the follower goes on from the positions that it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from unabridged.archive.resolve import Resolver
from unabridged.errors import IndexCorrupt, UnabridgedError
from unabridged.index.feed import Feed, FeedReader
from unabridged.index.layout import LexicalDoc
from unabridged.index.lexical import LexicalIndex
from unabridged.index.scoring import ASSISTANT, TOOL, USER
from unabridged.index.windows import windows
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import HUMAN, META, SIDE, SUMMARY, Event

Watermarks = dict[ProjectId, tuple[int, bytes]]  # project → log position, digest of the entry there

HEAP_BYTES = 24 << 20  # bytes of postings that the writer gathers before it makes a segment


def read_watermarks(payload: str) -> Watermarks:
    """Return how far an index has come, from the payload of its last commit; raise `IndexCorrupt`."""
    if not payload:
        return {}
    try:
        stored: dict[str, tuple[int, str]] = json.loads(payload)
        return {
            ProjectId(bytes.fromhex(project)): (int(position), bytes.fromhex(digest))
            for project, (position, digest) in stored.items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise IndexCorrupt("the index does not say how far it has come") from error


def write_watermarks(watermarks: Mapping[ProjectId, tuple[int, bytes]]) -> str:
    """Return the payload that says how far an index has come."""
    return json.dumps(
        {project.hex(): (position, digest.hex()) for project, (position, digest) in watermarks.items()},
        sort_keys=True,
    )


class Indexer:
    """Applies feeds to one index folder; not for use by several threads."""

    def __init__(self, path: Path, heap_bytes: int = HEAP_BYTES) -> None:
        """Open (or make) the index at `path`; raises as `LexicalIndex.open` does."""
        self._index = LexicalIndex.open(path, writable=True, heap_bytes=heap_bytes)
        self.watermarks = read_watermarks(self._index.payload)
        self.damaged = 0  # events whose text could not be read

    def apply(self, feed: Feed) -> int:
        """Add a feed's events; return how many windows.

        A feed that is there already, or that leaves a gap, adds nothing: the follower looks at `watermarks` and sends
        the right one.
        """
        position = self.watermarks.get(feed.project, (0, b""))[0]
        if feed.after != position:
            return 0
        count = 0

        def counted() -> Iterator[LexicalDoc]:
            # One window at a time: a feed can hold an event of many megabytes.
            nonlocal count
            for doc in self._documents(feed):
                count += 1
                yield doc

        self._index.add(counted())
        if feed.retired:
            self._index.delete(feed.project, feed.retired)
        self.watermarks[feed.project] = (feed.position, feed.digest)
        return count

    def commit(self) -> None:
        """Make everything applied durable and searchable, together with the watermarks."""
        self._index.commit(write_watermarks(self.watermarks))

    @property
    def count(self) -> int:
        """Windows committed."""
        return self._index.count()

    def digest(self) -> str:
        """Return a digest of the logical content, equal for equal windows however they came to be."""
        return self._index.digest()

    def damaged_files(self) -> list[tuple[str, str]]:
        """Return (file, what is wrong) for every damaged file of the index."""
        return self._index.damaged()

    def close(self) -> None:
        """Give the index up; what is not committed is applied again later."""
        self._index.close()

    def _documents(self, feed: Feed) -> Iterator[LexicalDoc]:
        resolver = Resolver(FeedReader(feed))
        for event in feed.events:
            try:
                text = resolver.event_text(event)
            except UnabridgedError:
                self.damaged += (
                    1  # the archive's own check reports it; the rest of the log must not wait for it
                )
                continue
            yield from documents(event, text)


def documents(event: Event, text: str) -> Iterator[LexicalDoc]:
    """Yield an event's windows as the lexical index takes them."""
    ascii_only = text.isascii()
    at = chars = 0
    weight = weight_of(event)
    for number, (start, end) in enumerate(windows(text).ranges):
        window = text[start:end]
        if ascii_only:
            first, last = start, end
        else:
            # Windows begin in order, so the bytes before each are counted from the one before.
            at += len(text[chars:start].encode())
            chars = start
            first, last = at, at + len(window.encode())
        yield LexicalDoc(
            event.project,
            event.session,
            event.ordinal,
            number,
            first,
            last,
            window,
            event.time,
            event.role,
            event.kind,
            event.host,
            event.tool,
            weight,
            bool(event.flags & SIDE),
            tuple(event.paths),
        )


def weight_of(event: Event) -> int:
    """Return the class that a window's score is weighted by: people's words over agents', those over tool output."""
    if event.flags & HUMAN:
        return USER
    if event.role == "assistant" and event.kind == "text" and not event.flags & (META | SUMMARY):
        return ASSISTANT
    return TOOL
