"""The cursor of a conversation's page: on which side of which step it goes on. It grants nothing."""

from __future__ import annotations

import base64
import binascii

import msgspec

from unabridged.errors import InvalidCursor
from unabridged.retrieve.chronology import MAX_DEPTH

PREFIX = "t1_"
CHECK_BYTES = 6  # of which place and choice it belongs to
MAX_CURSOR = 200  # characters
MAX_SEQ = 1 << 60
BEFORE, AFTER = 0, 1


class Edge(msgspec.Struct, frozen=True, array_like=True):
    """A side of the step `seq` of a session, `depth` forks before the anchor's."""

    check: bytes
    side: int
    depth: int
    seq: int


def write(edge: Edge) -> str:
    """Return the cursor."""
    return PREFIX + base64.urlsafe_b64encode(msgspec.msgpack.encode(edge)).decode().rstrip("=")


def read(cursor: str, check: bytes) -> Edge:
    """Return what a cursor says; raise `InvalidCursor` for one that belongs elsewhere."""
    try:
        if not cursor.startswith(PREFIX) or len(cursor) > MAX_CURSOR:
            raise ValueError
        edge = msgspec.msgpack.decode(base64.urlsafe_b64decode(cursor[len(PREFIX) :] + "=="), type=Edge)
        if edge.side not in (BEFORE, AFTER) or not (0 <= edge.depth <= MAX_DEPTH and 0 < edge.seq < MAX_SEQ):
            raise ValueError
    except (ValueError, binascii.Error, msgspec.DecodeError) as error:
        raise InvalidCursor("the cursor is not valid", field="cursor") from error
    if edge.check != check:
        raise InvalidCursor(
            "the cursor belongs to another place",
            field="cursor",
            hint="Give it with the same target, kinds and roles as before.",
        )
    return edge
