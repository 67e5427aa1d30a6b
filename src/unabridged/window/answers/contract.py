"""What is put together of an answer, whatever format it comes in. All of it is pure: events in, a value out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import msgspec

Json: TypeAlias = "dict[str, Any]"

MOST = (
    32 << 20
)  # bytes of one answer that are put together; a longer one is archived when the client sends it back


class Answer(msgspec.Struct, frozen=True):
    """An answer: the items that it adds to a client's list, in order, with every value as the provider gave it.

    `message` is the provider's id of it; `usage` the provider's account, as it came (b"": none). `partial`: the stream
    ended before the answer did. `error`: the type of an error that came in its place or in its middle.
    """

    items: tuple[Mapping[str, Any], ...] = ()
    message: str = ""
    usage: bytes = b""
    partial: bool = False
    error: str = ""


class Builder(Protocol):
    """Takes an answer apart and puts it together again, in one format."""

    def event(self, data: Json) -> None:
        """Take the data of one server-sent event."""
        ...

    def whole(self, data: Json) -> None:
        """Take an answer that was not streamed."""
        ...

    def answer(self) -> Answer:
        """Return what there is by now."""
        ...


def compact(value: Any) -> bytes:
    """Return JSON as clients write it: without spaces, whole numbers without a fraction."""
    return msgspec.json.encode(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list):
        return [_plain(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def parsed(text: str) -> Any:
    """Return a JSON text's value; what is none, as a stream that was interrupted leaves it, stays a text."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def texts(data: Json, name: str) -> str:
    """Return a member that is a text, "" for anything else."""
    found = data.get(name)
    return found if isinstance(found, str) else ""


def objects(data: Json, name: str) -> list[Json]:
    """Return a member's objects, [] where it is no list."""
    found = data.get(name)
    if not isinstance(found, list):
        return []
    return [one for one in found if isinstance(one, dict)]  # pyright: ignore[reportUnknownVariableType]


def inner(data: Json, name: str) -> Json:
    """Return a member that is an object, {} for anything else."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]
