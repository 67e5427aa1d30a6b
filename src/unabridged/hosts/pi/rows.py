"""What a line of a Pi session looks like, in all three versions of the format: the fields that are read, all optional.

Version 1 is a list: rows have no ids. Version 2 adds `id` and `parentId`, version 3 renames the role `hookMessage`.
Oh My Pi writes the same form with further roles.
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.hosts import longlines
from unabridged.hosts.contract import Problem
from unabridged.hosts.lines import NOT_AN_OBJECT, fit, values


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
    try:
        return [Parsed(longlines.decode(line, _decoder), 0)], None
    except (msgspec.DecodeError, RecursionError):
        found = values(line)
    rows: list[Parsed] = []
    problem = found.problem
    for number, value in enumerate(found.items):
        row = fit(value, Row)
        if row is None:
            problem = problem or NOT_AN_OBJECT
            continue
        if row.message is None:
            row = msgspec.structs.replace(row, message=fit(value.get("message"), Message))
        rows.append(Parsed(row, number))
    return rows, problem


def session_in_path(path: str | None) -> str:
    """Return the id of the session that a path `<time>_<id>.jsonl` names; "" when it names none."""
    if not path:
        return ""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.removesuffix(".jsonl").partition("_")[2]
