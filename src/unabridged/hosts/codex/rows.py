"""What a line of a Codex rollout looks like: the fields that are read, each of them optional.

A line is `{timestamp, ordinal?, type, payload}`; before September 2025 it was the bare payload. What is not named here
is skipped unread and stays in the kept original: token counts, world states, the replacement history of a compaction.
Most lines need few fields, so those are decoded first; rarer rows are decoded once more with all of theirs.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts import longlines
from unabridged.hosts.contract import Problem
from unabridged.hosts.lines import NOT_AN_OBJECT, fit, values

Path = tuple[int | str, ...]


class Content(msgspec.Struct, gc=False, frozen=True):
    """One item of a message's content or of a tool's output."""

    type: str | None = None
    text: str | None = None
    image_url: str | None = None


class Made(msgspec.Struct, gc=False, frozen=True):
    """What the host notes beside an item: the turn that made it, and what each content item is."""

    turn_id: str | None = None
    content_item_kinds: list[str] | None = None


class Output(msgspec.Struct, gc=False, frozen=True):
    """A tool's output as an object (2025)."""

    content: str | list[Content] | None = None
    success: bool | None = None


class Item(
    msgspec.Struct, gc=False, frozen=True, rename={"made": "internal_chat_message_metadata_passthrough"}
):
    """A payload: what messages, calls and outputs have."""

    type: str | None = None
    id: str | None = None
    role: str | None = None
    name: str | None = None
    namespace: str | None = None
    content: str | list[Content] | None = None
    arguments: str | dict[str, Any] | None = None
    input: str | None = None
    call_id: str | None = None
    output: str | list[Content] | Output | None = None
    made: Made | None = None
    message: str | None = None
    turn_id: str | None = None


class Base(msgspec.Struct, gc=False, frozen=True):
    """Up to where a file that holds only new rows goes on from another one."""

    thread_id: str | None = None
    end_ordinal_exclusive: int | None = None


class Rare(msgspec.Struct, gc=False, frozen=True):
    """A payload: what only rarer rows have."""

    id: str | None = None
    type: str | None = None
    # calls that the provider carries out, or that a script made
    action: Any = None
    tools: Any = None
    invocation: Any = None
    item: Any = None
    query: str | None = None
    result: Any = None
    results: Any = None
    revised_prompt: str | None = None
    # threads and turns
    author: str | None = None
    recipient: str | None = None
    cwd: str | None = None
    model: str | None = None
    window_id: str | None = None
    num_turns: int | None = None
    thread_name: str | None = None
    forked_from_id: str | None = None
    forked_from_ordinal_exclusive: int | None = None
    subagent_history_start_ordinal: int | None = None
    parent_thread_id: str | None = None
    thread_source: str | None = None
    source: Any = None
    history_base: Base | None = None


class Row(msgspec.Struct, gc=False, frozen=True):
    """One line."""

    timestamp: str | None = None
    ordinal: int | None = None
    type: str | None = None
    payload: Item | None = None


class _RareRow(msgspec.Struct, gc=False, frozen=True):
    payload: Rare | None = None


class Parsed(msgspec.Struct, gc=False, frozen=True):
    """A row with its payload, where the payload stands in the line's JSON values, and the line itself."""

    row: Row
    item: Item
    path: Path
    line: bytes

    def rare(self) -> Rare:
        """Decode the payload's rarer fields."""
        try:
            if self.path == WRAPPED:
                return longlines.decode(self.line, _rare).payload or Rare()
            if self.path == BARE:
                return longlines.decode(self.line, _bare_rare)
        except (msgspec.DecodeError, RecursionError):
            pass  # of several values, or of a form that is new
        value: Any = values(self.line).items[int(self.path[0])]
        for key in self.path[1:]:
            value = value[key]
        return fit(value, Rare) or Rare()


_row: msgspec.json.Decoder[Row] = msgspec.json.Decoder(Row)
_bare: msgspec.json.Decoder[Item] = msgspec.json.Decoder(Item)
_rare: msgspec.json.Decoder[_RareRow] = msgspec.json.Decoder(_RareRow)
_bare_rare: msgspec.json.Decoder[Rare] = msgspec.json.Decoder(Rare)
WRAPPED: Path = (0, "payload")
BARE: Path = (0,)
DOCUMENT = (b'{"session":', b'{"item":')  # begins a row of a document (see `documents`)


def parse(line: bytes) -> Parsed | None:
    """Return the row of a line; None where the line is not one well-formed row, or the row's form is new."""
    try:
        row = longlines.decode(line, _row)
        if row.payload is not None:
            return Parsed(row, row.payload, WRAPPED, line)
        if line.startswith(DOCUMENT):
            return None
        return Parsed(row, longlines.decode(line, _bare), BARE, line)
    except (msgspec.DecodeError, RecursionError):
        return None


def parse_odd(line: bytes) -> tuple[list[Parsed], Problem | None]:
    """Return the rows of any line: of several values, none, or with fields of other types; never raises."""
    found = values(line)
    rows: list[Parsed] = []
    problem = found.problem
    for number, value in enumerate(found.items):
        row = fit(value, Row)
        if row is None:
            problem = problem or NOT_AN_OBJECT
            continue
        key, inner = _inner(cast("dict[str, Any]", value))
        item = row.payload or fit(inner, Item) or Item()
        if key in ("session", "item"):
            row = msgspec.structs.replace(row, timestamp=inner.get("timestamp"))
        path: Path = (number, key) if key else (number,)
        rows.append(Parsed(row, _mended(item, inner), path, line))
    return rows, problem


def _inner(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the payload of a row with its key; the row itself with "" where it has none."""
    keys = ("payload",) if "type" in value else ("payload", "session", "item")
    for key in keys:
        if isinstance(value.get(key), dict):
            return key, cast("dict[str, Any]", value[key])
    return "", value


def _mended(item: Item, value: dict[str, Any]) -> Item:
    """Return the payload with those lists that were dropped for one odd entry, read entry by entry."""
    mended: dict[str, Any] = {}
    for name in ("content", "output"):
        entries: Any = value.get(name)
        if getattr(item, name) is None and isinstance(entries, list):
            mended[name] = [fit(entry, Content) or Content() for entry in cast("list[Any]", entries)]
    return msgspec.structs.replace(item, **mended) if mended else item
