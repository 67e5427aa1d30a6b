"""What a line of a Claude Code transcript looks like: the fields that are read, each of them optional.

Claude Code adds fields in most releases; what is not named here is skipped unread and stays in the kept original. That
is much of a file: `toolUseResult` repeats the result, `progress` rows repeat the output so far.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts import longlines
from unabridged.hosts.contract import Problem
from unabridged.hosts.lines import NOT_AN_OBJECT, Values, fit, values


class Message(msgspec.Struct, gc=False, frozen=True):
    """A message as the provider's API has it; `content` is a string or a list of blocks."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: Any = None


class Inner(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """A whole row of a subagent, inside a progress row of the session that started it."""

    type: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    is_meta: bool | None = None
    message: Message | None = None


class Progress(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """The `data` of a progress row; only `agent_progress` has a message of its own."""

    type: str | None = None
    agent_id: str | None = None
    message: Inner | None = None


class Cause(msgspec.Struct, gc=False, frozen=True):
    """Where a user message came from, when a person did not type it at the prompt."""

    kind: str | None = None


class Attachment(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """What the host put beside a message."""

    type: str | None = None
    prompt: Any = None  # of a queued_command: string or blocks
    command_mode: str | None = None
    command: str | None = None  # of a hook
    origin: Cause | None = None
    is_meta: bool | None = None


class Copied(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """Where the row of a branched session was copied from."""

    session_id: str | None = None
    message_uuid: str | None = None


class Row(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """One line."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    message: Message | None = None
    content: Any = None  # of system rows
    data: Progress | None = None
    attachment: Attachment | None = None
    rendered: Any = None  # of attachments: what the model got
    origin: Cause | None = None
    forked_from: Copied | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    continued_in_session_id: str | None = None


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A row, and the number of the JSON value on its line that it was."""

    row: Row
    number: int
    value: Any = None  # the whole object where it is at hand


_decoder: msgspec.json.Decoder[Row] = msgspec.json.Decoder(Row)


def parse(line: bytes) -> tuple[list[Parsed], Problem | None]:
    """Return the rows of a line, nearly always one, and what is wrong with the line. Never raises."""
    try:
        return [Parsed(longlines.decode(line, _decoder), 0)], None
    except (msgspec.DecodeError, RecursionError):
        return _parse_odd(values(line))


def _parse_odd(found: Values) -> tuple[list[Parsed], Problem | None]:
    """Several values on a line, or none, or a field with another type than it had so far."""
    rows: list[Parsed] = []
    problem = found.problem
    for number, value in enumerate(found.items):
        row = fit(value, Row)
        if row is None:
            problem = problem or NOT_AN_OBJECT
            continue
        rows.append(Parsed(_inner_parts(row, value), number, value))
    return rows, problem


def _inner_parts(row: Row, value: dict[str, Any]) -> Row:
    """Return the row with those parts that were dropped for one wrong field of theirs."""
    parts: dict[str, msgspec.Struct] = {}
    if row.message is None and (message := fit(value.get("message"), Message)) is not None:
        parts["message"] = message
    if row.attachment is None and (attachment := fit(value.get("attachment"), Attachment)) is not None:
        parts["attachment"] = attachment
    data: Any = value.get("data")
    if row.data is None and (progress := fit(data, Progress)) is not None:
        if progress.message is None:
            inner = fit(cast("dict[str, Any]", data).get("message"), Inner)
            progress = msgspec.structs.replace(progress, message=inner)
        parts["data"] = progress
    return msgspec.structs.replace(row, **parts) if parts else row
