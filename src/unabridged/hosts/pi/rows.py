"""What a line of a Pi session looks like, in all three versions of the format: the fields that are read, all optional.

Version 1 is a list: rows have no ids. Version 2 adds `id` and `parentId`, version 3 renames the role `hookMessage`.
Oh My Pi writes the same form with further roles.
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.hosts.contract import Problem
from unabridged.hosts.lines import fit, rows_of


class Message(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """A message of any role; which fields it has depends on the role."""

    role: str | None = None
    content: Any = None
    timestamp: float | None = None  # milliseconds since 1970
    model: str | None = None
    response_id: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    custom_type: str | None = None
    summary: str | None = None
    command: str | None = None  # bashExecution
    code: str | None = None  # pythonExecution
    output: str | None = None
    exit_code: int | None = None
    sections: Any = None  # of a system message


class Row(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """One line."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: str | None = None
    message: Message | None = None
    # the header
    version: int | None = None
    cwd: str | None = None
    parent_session: str | None = None
    branched_from: str | None = None
    title: str | None = None
    # other entries
    summary: str | None = None
    custom_type: str | None = None
    content: Any = None
    name: str | None = None


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A row, and the number of the JSON value on its line that it was."""

    row: Row
    number: int


_decoder: msgspec.json.Decoder[Row] = msgspec.json.Decoder(Row)


def parse(line: bytes) -> tuple[list[Parsed], Problem | None]:
    """Return the rows of a line, nearly always one, and what is wrong with the line. Never raises."""
    rows, problem = rows_of(line, _decoder, Row, _mended)
    return [Parsed(row, number) for row, number in rows], problem


def _mended(row: Row, value: Any) -> Row:
    if row.message is not None:
        return row
    return msgspec.structs.replace(row, message=fit(value.get("message"), Message))


def session_in_path(path: str | None) -> str:
    """Return the id of the session that a path `<time>_<id>.jsonl` names; "" when it names none."""
    if not path:
        return ""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.removesuffix(".jsonl").partition("_")[2]
