"""The form in which Cline's conversations are kept: one JSON object a line.

The host writes each conversation as one document. Kept are a row for the session (`{"cline":"session","id":…}`)
whenever what describes it has changed, and one for each message: `data` is its exact JSON text, `after` names the
message in front of it in the document, `name` names it where it has neither an id nor a time of its own. A message that
is too long to be read is `{"cline":"too-long"}` with its size.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from unabridged.hosts import longlines
from unabridged.hosts.contract import Problem
from unabridged.hosts.lines import fit, rows_of, values

SESSION, MESSAGE, SHOWN, TOO_LONG = "session", "message", "shown", "too-long"


class Message(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """A message as it was sent to the model, or one that was shown; all fields optional."""

    id: str | None = None
    role: str | None = None
    content: Any = None
    ts: float | None = None  # milliseconds since 1970
    model_info: Any = None
    is_summary: bool | None = None
    is_truncation_marker: bool | None = None
    type: str | None = None
    # shown
    say: str | None = None
    ask: str | None = None
    text: str | None = None
    images: Any = None


class Row(msgspec.Struct, gc=False, frozen=True):
    """One line."""

    cline: str | None = None
    name: str | None = None
    after: str | None = None
    data: Message | None = None
    size: int | None = None
    # a session
    id: str | None = None
    cwd: str | None = None
    title: str | None = None
    parent: str | None = None
    relation: str | None = None
    created: float | None = None  # milliseconds since 1970


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A row, and the number of the JSON value on its line that it was."""

    row: Row
    number: int


_decoder: msgspec.json.Decoder[Row] = msgspec.json.Decoder(Row)
_message: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_KEPT = re.compile(
    rb'\s*\{(?:\s*"[^"]{1,40}"\s*:[^{}]{0,400},)?\s*"cline"\s*:\s*"(?:session|message|shown|too-long)"'
)


def is_kept(head: bytes) -> bool:
    """Tell whether these bytes begin kept rows."""
    return _KEPT.match(head) is not None


def parse(line: bytes) -> tuple[list[Parsed], Problem | None]:
    """Return the rows of a line, nearly always one, and what is wrong with the line. Never raises."""
    rows, problem = rows_of(line, _decoder, Row, _mended)
    return [Parsed(row, number) for row, number in rows], problem


def _mended(row: Row, value: Any) -> Row:
    if row.data is not None:
        return row
    return msgspec.structs.replace(row, data=fit(value.get("data"), Message))


def message_of(data: bytes) -> Message:
    """Return a message of a document."""
    try:
        return longlines.decode(data, _message)
    except (msgspec.DecodeError, RecursionError):
        items = values(data).items
    return (fit(items[0], Message) if items else None) or Message()


def name_of(message: Message, otherwise: str) -> str:
    """Return what names a message: its id, else who said it and when, else what the kept row says."""
    if message.id:
        return message.id
    if message.ts:
        return f"{message.role or message.say or message.ask or 'item'}-{message.ts:.0f}"
    return otherwise
