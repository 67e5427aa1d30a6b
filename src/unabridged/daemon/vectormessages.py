"""What the daemon and a worker with a sentence model say to each other."""

from __future__ import annotations

import msgspec

from unabridged.errors import ProtocolError
from unabridged.models.identity import Identity
from unabridged.schema.ids import ProjectId
from unabridged.vectors.asked import Nearest, Where
from unabridged.vectors.feed import Stretch


class Choice(msgspec.Struct, frozen=True, array_like=True):
    """Which model: one in a folder of this machine, else one behind an address. `key` is a secret."""

    folder: str = ""
    url: str = ""
    model: str = ""
    key: str = ""
    timeout: float = 10.0
    judge: str = ""  # the folder of a cross-encoder, which then is all that is loaded


class Load(msgspec.Struct, tag=True, array_like=True):
    """Load a model, and open the table of a folder: to write it, up to so many bytes, or (0) to read it."""

    choice: Choice
    folder: str
    most_bytes: int = 0


class Take(msgspec.Struct, tag=True, array_like=True):
    """Add a stretch of the log."""

    stretch: Stretch


class Keep(msgspec.Struct, tag=True, array_like=True):
    """Make what was added durable."""


class Ask(msgspec.Struct, tag=True, array_like=True):
    """Find the spans that are nearest to a text, and those of further events, by project and ordinal."""

    text: str
    where: Where
    limit: int
    also: list[tuple[bytes, int]] = []


class Judge(msgspec.Struct, tag=True, array_like=True):
    """Say how well passages answer a question, as many as the seconds suffice for."""

    question: str
    passages: list[str]
    seconds: float


class Standing(msgspec.Struct, tag=True, array_like=True):
    """How far the table is: per project the log position and the digest of the entry there; rows; unread events."""

    identity: Identity
    watermarks: dict[ProjectId, tuple[int, bytes]] = {}
    rows: int = 0
    damaged: int = 0
    full: bool = False


class Answered(msgspec.Struct, tag=True, array_like=True):
    """The answer to `Ask`."""

    nearest: Nearest


class Judged(msgspec.Struct, tag=True, array_like=True):
    """The answer to `Judge`: a number for each of the first passages."""

    scores: list[float]


class Failed(msgspec.Struct, tag=True, array_like=True):
    """An error by its code; or a fault of the worker (code "internal-error") with its places."""

    code: str
    message: str
    places: list[str] = []


Order = Load | Take | Keep | Ask | Judge
Report = Standing | Answered | Judged | Failed

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
    """Read what the worker says; raise `ProtocolError` when it is not a report."""
    try:
        return _reports.decode(data)
    except msgspec.DecodeError as error:
        raise ProtocolError("a worker says what it should not") from error
