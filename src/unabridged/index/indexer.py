"""From feeds to the lexical index: what the index worker does.

Windows and the log positions that they stand for are committed in one step, so after a crash the index is exactly an
earlier state of itself, and the follower goes on from the positions that it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unabridged.errors import IndexCorrupt
from unabridged.index.feed import Feed
from unabridged.index.layout import Ready
from unabridged.index.lexical import LexicalIndex
from unabridged.index.making import Made, ready_windows
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import Event

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
        damaged = list[Event]()
        # One window at a time: a feed can hold an event of many megabytes.
        return self._add(feed, ready_windows(feed, damaged), feed.retired, damaged)

    def apply_made(self, made: Made) -> int:
        """Add a feed's events whose windows were made elsewhere, in the same way."""
        return self._add(made, iter(made.windows), made.retired, made.damaged)

    def _add(
        self, stretch: Feed | Made, windows: Iterator[Ready], retired: Sequence[int], damaged: Sequence[Any]
    ) -> int:
        position = self.watermarks.get(stretch.project, (0, b""))[0]
        if stretch.after != position:
            return 0
        count = 0

        def counted() -> Iterator[Ready]:
            nonlocal count
            for window in windows:
                count += 1
                yield window

        self._index.add_ready(counted())
        # The archive's own check reports what could not be read; the rest of the log must not wait for it.
        self.damaged += len(damaged)
        if retired:
            self._index.delete(stretch.project, retired)
        self.watermarks[stretch.project] = (stretch.position, stretch.digest)
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
