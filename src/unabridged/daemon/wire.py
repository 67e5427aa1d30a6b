"""JSON-RPC 2.0, one object a line: frames from bytes and back.

Beside the standard's members a request may carry `timeout` (seconds that its caller will wait). A notification `cancel`
with `{"id": …}` withdraws a request; the daemon sends notifications `progress` with `{"id": …, …}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from unabridged.errors import (
    FrameTooLarge,
    InternalError,
    InvalidInput,
    ProtocolError,
    UnabridgedError,
    UnknownOperation,
)

PROTOCOL = 1
MAX_FRAME = 16 << 20  # bytes of one line in either direction, its end included
MAX_ID_CHARS = 128  # of a request's id, when it is text
# What both sides must have in common is negotiated by name; operations are capabilities under their own names.
FEATURES = ("cancel", "deadline", "progress")

# Numbers that the standard reserves.
PARSE, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL, APPLICATION = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
    -32000,
)

NOTHING = msgspec.Raw(b"{}")
RequestId = int | str | None


class Frame(msgspec.Struct, gc=False):
    """A request, or a notification when `id` is UNSET. `params` is left encoded for the thread that works on it."""

    method: str
    id: int | str | msgspec.UnsetType | None = msgspec.UNSET
    params: msgspec.Raw = NOTHING
    timeout: float | None = None
    jsonrpc: str = ""


class Handshake(msgspec.Struct, frozen=True):
    """The first request of every connection. `capabilities` are those that the client cannot do without."""

    protocol: int
    client: str = ""
    version: str = ""
    capabilities: list[str] = []
    project: str = ""  # the folder that the client works in
    scope: str = ""
    session: str = ""


class Cancel(msgspec.Struct, frozen=True):
    """Which request to withdraw."""

    id: int | str


_frames = msgspec.json.Decoder(Frame)
_encoder = msgspec.json.Encoder()


def decode(line: bytes) -> Frame:
    """Read one line; raise `ProtocolError` (details: the standard's number)."""
    try:
        frame = _frames.decode(line)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"not a request: {error}", number=INVALID_REQUEST) from error
    except msgspec.DecodeError as error:
        raise ProtocolError("not JSON", number=PARSE) from error
    if frame.jsonrpc != "2.0":
        raise ProtocolError("`jsonrpc` must be `2.0`", number=INVALID_REQUEST)
    if isinstance(frame.id, str) and len(frame.id) > MAX_ID_CHARS:
        raise ProtocolError("the id is too long", number=INVALID_REQUEST, limit=MAX_ID_CHARS)
    return frame


def answer(request: RequestId, result: msgspec.Struct | Mapping[str, Any]) -> bytes:
    """Return the line of an answer; one that does not fit a frame becomes a `FrameTooLarge` error."""
    head = b'{"jsonrpc":"2.0","id":%b,"result":' % _encoder.encode(request)
    data = head + _encoder.encode(result) + b"}\n"
    if len(data) > MAX_FRAME:
        return failure(
            request, FrameTooLarge("the answer does not fit a frame", limit=MAX_FRAME, size=len(data))
        )
    return data


def failure(request: RequestId, error: UnabridgedError) -> bytes:
    """Return the line of an error; `data` holds the whole typed error."""
    body = {"code": _number(error), "message": error.message, "data": error.to_dict()}
    return _encoder.encode({"jsonrpc": "2.0", "id": request, "error": body}) + b"\n"


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    """Return the line of a notification."""
    return _encoder.encode({"jsonrpc": "2.0", "method": method, "params": params}) + b"\n"


def _number(error: UnabridgedError) -> int:
    if isinstance(error, ProtocolError):
        return int(error.details.get("number", INVALID_REQUEST))
    if isinstance(error, UnknownOperation):
        return NO_METHOD
    if isinstance(error, InvalidInput):
        return INVALID_PARAMS
    return INTERNAL if isinstance(error, InternalError) else APPLICATION
