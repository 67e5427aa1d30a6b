"""The one codec between frozen records and stored bytes.

A stored value is `format version (1 byte), kind tag (1 byte), MessagePack array of the record's fields, first 8 bytes
of the SHA-256 over all before`. Fields are only ever appended to a record, each with a default, so that an older value
decodes; a newer format version is refused. `docs/format.md` describes every kind.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import msgspec

from unabridged.errors import Corrupt, StoreTooNew

FORMAT_VERSION = 1
DIGEST_BYTES = 8  # enough to notice damage; identity rests on full content digests, not on this
HEADER_BYTES = 2

R = TypeVar("R", bound=msgspec.Struct)

_encoder = msgspec.msgpack.Encoder()
_decoders: dict[type[Any], msgspec.msgpack.Decoder[Any]] = {}


def _decoder(record: type[R]) -> msgspec.msgpack.Decoder[R]:
    found = _decoders.get(record)
    if found is None:
        found = _decoders[record] = msgspec.msgpack.Decoder(record)
    return found


def encode(tag: int, record: msgspec.Struct) -> bytes:
    """Return the canonical bytes of a record."""
    head = bytes((FORMAT_VERSION, tag)) + _encoder.encode(record)
    return head + hashlib.sha256(head).digest()[:DIGEST_BYTES]


def verify(tag: int, data: bytes) -> None:
    """Raise `StoreTooNew` for a newer format, `Corrupt` for bytes that are not what was written."""
    if len(data) < HEADER_BYTES + DIGEST_BYTES:
        raise Corrupt("a stored value is too short", size=len(data))
    if data[0] > FORMAT_VERSION:
        raise StoreTooNew("a stored value has a newer format", found=data[0], known=FORMAT_VERSION)
    if data[1] != tag or hashlib.sha256(data[:-DIGEST_BYTES]).digest()[:DIGEST_BYTES] != data[-DIGEST_BYTES:]:
        raise Corrupt("a stored value has the wrong digest", kind=tag)


def decode(tag: int, record: type[R], data: bytes) -> R:
    """Return the record in `data`, verified; raise `StoreTooNew` or `Corrupt`."""
    verify(tag, data)
    try:
        return _decoder(record).decode(memoryview(data)[HEADER_BYTES:-DIGEST_BYTES])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise Corrupt("a stored value does not decode", kind=tag) from error


def entry_digest(data: bytes) -> bytes:
    """Return the digest part (8 bytes) of a stored value."""
    return data[-DIGEST_BYTES:]
