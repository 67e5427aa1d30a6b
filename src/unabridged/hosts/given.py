"""Which rows of a conversation are new or changed since the last look.

For hosts that write a conversation anew as it grows: its rows are given once, and again when they change. What has been
given is remembered by a hash of each row's name and a checksum. Of a conversation with more rows than that memory
holds, the oldest ones are given again when it changes, which brings nothing new. What is gone stays archived.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

REMEMBERED = 5_000  # rows; at 12 bytes each below the 64 KiB that a state may have
BATCH_BYTES = 8 << 20  # bytes of lines after which a look ends; further rows come with the next one
HASH_BYTES, SUM_BYTES = 8, 4
ENTRY_BYTES = HASH_BYTES + SUM_BYTES


class Row(NamedTuple):
    """A row: what names it in its conversation, and its line (with LF)."""

    name: str
    line: bytes


class Memory(msgspec.Struct, array_like=True):
    """What is remembered of a conversation."""

    version: str = ""  # all rows of this version have been given
    seen: bytes = b""
    looking: str = ""  # the version of which some rows have been given
    at: int = 0  # how many of its rows have been looked at


_decoder = msgspec.msgpack.Decoder(Memory)
_encoder = msgspec.msgpack.Encoder()


def is_given(version: str, state: bytes) -> bool:
    """Tell whether all rows of a version have been given."""
    return bool(state) and _decoder.decode(state).version == version


def look(rows: Iterable[Row], version: str, state: bytes) -> tuple[list[bytes], bytes]:
    """Return the lines of new and changed rows, up to a limit, and the state behind them.

    No lines: there is nothing new. Otherwise another look may give more.
    """
    memory = _decoder.decode(state) if state else Memory()
    if memory.version == version:
        return [], state
    start = memory.at if memory.looking == version else 0
    seen = _unpack(memory.seen)
    lines, size = list[bytes](), 0
    for at, row in enumerate(rows):
        if at < start:
            continue
        if size >= BATCH_BYTES:
            return lines, _encoder.encode(Memory("", _pack(seen), version, at))
        name, checksum = _hash(row.name), zlib.crc32(row.line).to_bytes(SUM_BYTES, "big")
        if seen.pop(name, None) != checksum:
            lines.append(row.line)
            size += len(row.line)
        seen[name] = checksum  # behind the others: the oldest are forgotten first
    return lines, _encoder.encode(Memory(version, _pack(seen)))


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:HASH_BYTES]


def _pack(seen: dict[bytes, bytes]) -> bytes:
    return b"".join(name + checksum for name, checksum in list(seen.items())[-REMEMBERED:])


def _unpack(seen: bytes) -> dict[bytes, bytes]:
    entries = [seen[at : at + ENTRY_BYTES] for at in range(0, len(seen), ENTRY_BYTES)]
    return {entry[:HASH_BYTES]: entry[HASH_BYTES:] for entry in entries}
