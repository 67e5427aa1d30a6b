"""Events whose stored values are made by who reads a transcript, up to the three numbers that only a commit knows.

Ordinal, session and sequence number stand at the beginning of an event's value. All behind them is packed once, by a
worker; the commit, through which every event of every transcript goes one after the other, puts the beginning in front.
"""

from __future__ import annotations

from hashlib import sha256

import msgspec

from unabridged.schema import codec
from unabridged.schema.codec import DIGEST_BYTES, FORMAT_VERSION, HEADER_BYTES
from unabridged.schema.ids import EventId, Micros, Ordinal, ProjectId, SessionId, SourceHash
from unabridged.schema.records import EVENT, Event
from unabridged.store.contract import Encoded

# MessagePack: an array of so many elements, and byte strings of 16 and 20 bytes.
_ARRAY = b"\xdc" + len(Event.__struct_fields__).to_bytes(2, "big")
_HEAD = bytes((FORMAT_VERSION, EVENT.tag)) + _ARRAY + b"\xc4\x10"
_ID, _SESSION = b"\xc4\x14", b"\xc4\x10"
# Behind the header: the array's head, project, ordinal 0, id, an empty session, sequence number 0.
_BEGINNING = HEADER_BYTES + len(_ARRAY) + 18 + 1 + 22 + 2 + 1

_number = msgspec.msgpack.Encoder().encode


class Prepared(msgspec.Struct, array_like=True, gc=False):
    """An event before its commit: what the commit looks at, and the rest of its value. `chunks` are digests."""

    id: EventId
    native: str
    source: SourceHash  # of the first source key that it may get
    time: Micros
    rest: bytes
    chunks: list[bytes] = []


class Stored(Encoded, gc=False):
    """An event with its stored value."""

    project: ProjectId
    ordinal: Ordinal
    id: EventId


def rest_of(event: Event) -> bytes:
    """Return what stands behind the sequence number in the value of `event`, whose numbers are 0 and session empty."""
    return codec.packed(EVENT.tag, event)[_BEGINNING:]


def stored(
    project: ProjectId, ordinal: Ordinal, event: EventId, session: SessionId, seq: int, rest: bytes
) -> Stored:
    """Return the event with its numbers; its value is what `codec.encode` gives for the whole record."""
    body = b"".join((_HEAD, project, _number(ordinal), _ID, event, _SESSION, session, _number(seq), rest))
    return Stored(body + sha256(body).digest()[:DIGEST_BYTES], project, ordinal, event)
