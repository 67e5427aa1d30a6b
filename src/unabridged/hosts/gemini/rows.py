"""What a row of a Gemini CLI session looks like: the fields that are read, all optional.

A session file has a row for the session, one for each message, written again as the message grows, and rows that
change what was said before: `$set` gives fields of the session new values (its list of messages among them),
`$rewindTo` takes a message back with all that follows it. An older session is one document, whose members and messages
are such rows.
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.hosts.contract import Problem
from unabridged.hosts.lines import rows_of


class Row(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    """One row, or one message of a list."""

    # the session
    session_id: str | None = None
    project_hash: str | None = None
    kind: str | None = None
    directories: Any = None
    summary: str | None = None
    # a message
    id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    content: Any = None
    display_content: Any = None
    thoughts: Any = None
    tool_calls: Any = None
    model: str | None = None
    # a content as the API has it, of a saved chat
    role: str | None = None
    parts: Any = None
    # changes
    changes: Any = msgspec.field(default=None, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")
    # ours: an element of a document that is too long to be read, its bytes
    too_long: int | None = msgspec.field(default=None, name="$tooLong")


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A row, and the number of the JSON value on its line that it was."""

    row: Row
    number: int


_decoder: msgspec.json.Decoder[Row] = msgspec.json.Decoder(Row)


def parse(line: bytes) -> tuple[list[Parsed], Problem | None]:
    """Return the rows of a line, nearly always one, and what is wrong with the line. Never raises."""
    rows, problem = rows_of(line, _decoder, Row)
    return [Parsed(row, number) for row, number in rows], problem
