"""The form in which Cursor's conversations are kept: one JSON object a line.

Conversations of the editor and of the command line lie in databases. Kept are a row for the session
(`{"cursor":"session","id":…}`, what describes it; the host keeps keys beside that, which are not taken) whenever it has
changed, and one for each message: `data` is the exact JSON text that the host stores, `name` its id, `after` that of
the message in front of it. The host's own transcripts, which are lines already, are kept as they are.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from unabridged.hosts.contract import Problem
from unabridged.hosts.lines import rows_of

SESSION, BUBBLE, MESSAGE, TOO_LONG = "session", "bubble", "message", "too-long"
TURN_ENDED = "turn_ended"


class Row(msgspec.Struct, gc=False, frozen=True):
    """One line."""

    cursor: str | None = None
    name: str | None = None
    after: str | None = None
    model: str | None = None
    data: Any = None
    # a session
    id: str | None = None
    cwd: str | None = None
    title: str | None = None
    parent: str | None = None
    relation: str | None = None
    created: float | None = None  # milliseconds since 1970
    # a line of the host's own transcripts
    role: str | None = None
    message: Any = None
    content: Any = None
    type: str | None = None


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A row, and the number of the JSON value on its line that it was."""

    row: Row
    number: int


_decoder: msgspec.json.Decoder[Row] = msgspec.json.Decoder(Row)
_KEPT = re.compile(
    rb'\s*\{(?:\s*"[^"]{1,40}"\s*:[^{}]{0,400},)?\s*"cursor"\s*:\s*"(?:session|bubble|message|too-long)"'
)


def is_kept(head: bytes) -> bool:
    """Tell whether these bytes begin kept rows."""
    return _KEPT.match(head) is not None


def parse(line: bytes) -> tuple[list[Parsed], Problem | None]:
    """Return the rows of a line, nearly always one, and what is wrong with the line. Never raises."""
    rows, problem = rows_of(line, _decoder, Row)
    return [Parsed(row, number) for row, number in rows], problem
