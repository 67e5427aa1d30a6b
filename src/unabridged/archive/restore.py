"""Originals as they were."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.archive.compress import verified
from unabridged.errors import Incomplete
from unabridged.schema.records import SEGMENT, Generation
from unabridged.store.contract import Reader

PAGE = 16  # segments read at once: at most 16 MiB unpacked


def read_original(reader: Reader, generation: Generation, *, allow_gaps: bool = False) -> Iterator[bytes]:
    """Yield the kept bytes of a generation in order, every segment's digest compared.

    A hole raises `Incomplete` unless `allow_gaps`; damage raises `Corrupt`.
    """
    at = 0
    for segment_start, data in segments_from(reader, generation, 0):
        if segment_start != at and not allow_gaps:
            raise Incomplete("a part of the original is gone", offset=at, until=segment_start)
        yield data
        at = segment_start + len(data)
    end = generation.stored_offset + generation.pending
    if at < end and not allow_gaps:
        raise Incomplete("the end of the original is gone", offset=at, until=end)


def read_range(
    reader: Reader, generation: Generation, offset: int, limit: int, *, allow_gaps: bool = False
) -> bytes:
    """Return at most `limit` bytes from `offset`; fewer only at the end."""
    parts, at, end = list[bytes](), offset, min(offset + limit, generation.stored_offset + generation.pending)
    for start, data in segments_from(reader, generation, offset):
        if start >= end:
            break
        if start > at and not allow_gaps:
            raise Incomplete("a part of the original is gone", offset=at, until=start)
        parts.append(data[max(0, at - start) : end - start])
        at = start + len(data)
    if at < end and not allow_gaps:
        raise Incomplete("the end of the original is gone", offset=at, until=end)
    return b"".join(parts)


def segments_from(reader: Reader, generation: Generation, offset: int) -> Iterator[tuple[int, bytes]]:
    """Yield (start, verified bytes) of the segment that holds `offset` and of all behind it."""
    key = (generation.project, generation.origin, generation.number)
    first = reader.scan(SEGMENT, key, stop=(offset + 1,), reverse=True, limit=1)
    start = first[0].start if first else 0
    while True:
        page = reader.scan(SEGMENT, key, start=(start,), limit=PAGE)
        for item in page:
            yield item.start, verified(item.codec, item.dictionary, item.data, item.size, item.digest)
        if len(page) < PAGE:
            return
        start = page[-1].start + 1
