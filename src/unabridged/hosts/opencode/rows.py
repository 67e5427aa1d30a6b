"""The form in which sessions are kept: one JSON object a line for each session, message and part, keys sorted.

`data` is what the host stores for the row: the exact JSON text of a part or message, the columns of a session (or, with
`"form":"info"`, the session as the host's own export has it). A part's `of` repeats what its reading needs of its
message, so that every line can be read alone. A line of the table `gone` names rows that the host has deleted.
"""

from __future__ import annotations

import hashlib
from typing import Any, cast

import msgspec

from unabridged.hosts.oneline import one_line

SESSION, MESSAGE, PART, GONE = "session", "message", "part", "gone"
COLUMNS, INFO = "columns", "info"
HASH_BYTES = 8


class Key(msgspec.Struct, frozen=True, gc=False):
    """A row before its data is read; times in milliseconds, `changed` is that of its last change."""

    table: str
    id: str
    message_id: str  # a message's own id too
    created: int  # of the message
    changed: int = 0

    @property
    def place(self) -> tuple[int, str]:
        """Where its message stands in the conversation."""
        return self.created, self.message_id


class MessageTime(msgspec.Struct, frozen=True, gc=False):
    """When a message was begun and finished, in milliseconds."""

    created: float | None = None
    completed: float | None = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """What is read of a message's data."""

    role: str | None = None
    agent: str | None = None
    mode: str | None = None
    summary: Any = None  # true on the assistant message that sums up; an object on user messages
    finish: str | None = None
    error: Any = None
    time: MessageTime | None = None
    model: Any = None
    model_id: str | None = msgspec.field(default=None, name="modelID")

    @property
    def finished(self) -> bool:
        """Whether nothing more will be written to it."""
        if self.role != "assistant":
            return True
        return self.error is not None or (self.time is not None and self.time.completed is not None)


class Span(msgspec.Struct, frozen=True, gc=False):
    """When something began and ended, in milliseconds."""

    start: float | None = None
    end: float | None = None


class ToolState(msgspec.Struct, frozen=True, gc=False):
    """Where a tool call stands."""

    status: str | None = None
    input: Any = None
    output: str | None = None
    error: str | None = None
    title: str | None = None
    metadata: Any = None
    attachments: Any = None
    time: Span | None = None


class Part(msgspec.Struct, frozen=True, gc=False):
    """What is read of a part's data."""

    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    time: Span | None = None
    tool: str | None = None
    call_id: str | None = msgspec.field(default=None, name="callID")
    state: ToolState | None = None
    mime: str | None = None
    filename: str | None = None
    url: str | None = None
    source: Any = None
    auto: bool | None = None
    name: str | None = None
    prompt: str | None = None
    description: str | None = None
    agent: str | None = None
    error: Any = None


class Of(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a part's line repeats of its message."""

    created: int = 0
    model: str = ""
    role: str = ""
    summary: bool = False


def of_message(message: Message) -> Of:
    """Return what a part's line repeats of its message."""
    model: Any = message.model
    inner = cast("dict[str, Any]", model) if isinstance(model, dict) else {}
    name = message.model_id or inner.get("modelID")
    created = message.time.created if message.time is not None else None
    return Of(
        int(created or 0),
        name if isinstance(name, str) else "",
        message.role or "",
        message.role == "assistant" and message.summary is True,
    )


_encode = msgspec.json.Encoder(order="sorted").encode


def session_line(name: str, data: bytes, form: str) -> bytes:
    """Return a session's line."""
    return (
        b'{"data":'
        + one_line(data)
        + b',"form":%b,"id":%b,"table":"session"}\n' % (_encode(form), _encode(name))
    )


def message_line(key: Key, session: str, data: bytes) -> bytes:
    """Return a message's line."""
    head = b'{"created":%d,"data":' % key.created
    return (
        head
        + one_line(data)
        + b',"id":%b,"session_id":%b,"table":"message"}\n' % (_encode(key.id), _encode(session))
    )


def part_line(key: Key, session: str, of: Of, data: bytes) -> bytes:
    """Return a part's line."""
    names = (_encode(key.id), _encode(key.message_id), _encode(of), _encode(session))
    return (
        b'{"data":'
        + one_line(data)
        + b',"id":%b,"message_id":%b,"of":%b,"session_id":%b,"table":"part"}\n' % names
    )


def gone_line(session: str, names: list[str]) -> bytes:
    """Return the line that tells of deleted rows, by the hexadecimal hashes of their ids."""
    return _encode({"gone": names, "session_id": session, "table": GONE}) + b"\n"


def row_hash(table: str, row: str) -> bytes:
    """Return what stands for a row where many are remembered."""
    return hashlib.sha256(f"{table}:{row}".encode()).digest()[:HASH_BYTES]
