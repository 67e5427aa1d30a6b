"""A session in the form that the host imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unabridged.hosts.contract import Head
from unabridged.hosts.lines import LineSplitter
from unabridged.hosts.opencode import export


def restore_name(head: Head) -> str:
    """Return the export's file name; the host reads it from anywhere."""
    return f"{head.host_session}.json"


def restore(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Return kept bytes, however they are cut, as an export."""
    return export.restore(_lines(blocks))


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    splitter = LineSplitter()
    for block in blocks:
        yield from (line.data for line in splitter.feed(block))
    yield from (line.data for line in splitter.finish())
