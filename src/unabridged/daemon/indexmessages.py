"""What the daemon and its index worker say to each other."""

from __future__ import annotations

import msgspec

from unabridged.index.feed import Feed
from unabridged.schema.ids import ProjectId


class Open(msgspec.Struct, tag=True, array_like=True):
    """Write the index in a folder, made when it is not there."""

    path: str


class Apply(msgspec.Struct, tag=True, array_like=True):
    """Add a stretch of the log."""

    feed: Feed


class ApplyMade(msgspec.Struct, tag=True, array_like=True):
    """Add a stretch of the log whose windows are made: an encoded `index.making.Made`."""

    made: bytes


class Commit(msgspec.Struct, tag=True, array_like=True):
    """Make what was applied durable and searchable."""


class Digest(msgspec.Struct, tag=True, array_like=True):
    """Tell the digest of an index's logical content, and which of its files are damaged."""

    path: str


class Standing(msgspec.Struct, tag=True, array_like=True):
    """How far the index is: per project the log position and the digest of the entry there; windows; unread events."""

    watermarks: dict[ProjectId, tuple[int, bytes]]
    windows: int
    damaged: int


class Digested(msgspec.Struct, tag=True, array_like=True):
    """The answer to `Digest`."""

    digest: str
    files: list[tuple[str, str]]


class Failed(msgspec.Struct, tag=True, array_like=True):
    """An error of the index, by its code; or a fault of the worker (code "internal-error") with its places."""

    code: str
    message: str
    places: list[str] = []


Order = Open | Apply | ApplyMade | Commit | Digest
Report = Standing | Digested | Failed

_encoder = msgspec.msgpack.Encoder()
_orders = msgspec.msgpack.Decoder(Order)
_reports = msgspec.msgpack.Decoder(Report)


def encode(message: msgspec.Struct) -> bytes:
    """Return a message's bytes."""
    return _encoder.encode(message)


def order(data: bytes | bytearray) -> Order:
    """Read what the daemon says."""
    return _orders.decode(data)


def report(data: bytes | bytearray) -> Report:
    """Read what the worker says."""
    return _reports.decode(data)
