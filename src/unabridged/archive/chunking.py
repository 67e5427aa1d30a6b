"""How payload is cut into chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

CHUNK_BYTES = 65_536  # bytes; the most a chunk holds
CHARACTER_BYTES = 4  # of UTF-8, at most
CHUNK_FLOOR = 16_384  # bytes; a chunk ends at its last newline past this, so that it is cut between lines


def cut(payload: bytes) -> Iterator[bytes]:
    """Yield the payload's chunks in order: at most 64 KiB each, never overlapping, their concatenation the payload.

    A chunk ends behind its last newline past 16 KiB, else at a UTF-8 boundary. Bytes that are not UTF-8 are cut at the
    limit.
    """
    at = 0
    while len(payload) - at > CHUNK_BYTES:
        end = payload.rfind(b"\n", at + CHUNK_FLOOR, at + CHUNK_BYTES) + 1
        if not end:
            end = _boundary(payload, at + CHUNK_BYTES)
        yield payload[at:end]
        at = end
    if at < len(payload):
        yield payload[at:]


def cut_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what `cut` yields for the parts joined, holding little more than one of them."""
    held = b""
    for part in parts:
        held += part
        at = 0
        while len(held) - at > CHUNK_BYTES + CHARACTER_BYTES:
            end = held.rfind(b"\n", at + CHUNK_FLOOR, at + CHUNK_BYTES) + 1
            end = end or _boundary(held, at + CHUNK_BYTES)
            yield held[at:end]
            at = end
        held = held[at:]
    yield from cut(held)


def _boundary(payload: bytes, end: int) -> int:
    """Return the largest character boundary that is not beyond `end` (or `end` itself where bytes are not UTF-8)."""
    for back in range(4):
        if payload[end - back] & 0xC0 != 0x80:
            return end - back
    return end
