"""Rollouts made by hand, for shapes that no recording has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.hosts.codex import HOST
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head, Line

THREAD = "01a22000-0000-7000-8000-000000000001"
PARENT = "01a21000-0000-7000-8000-000000000002"
TURNS = [f"01a22001-0000-7000-8000-{number:012d}" for number in range(9)]

Row = dict[str, Any]


def row(kind: str, payload: Row, at: int = 0, **more: Any) -> Row:
    """A line; `at` is in seconds."""
    stamp = f"2026-05-01T10:{at // 60 % 60:02d}:{at % 60:02d}.000Z"
    return {"timestamp": stamp, **more, "type": kind, "payload": payload}


def header(thread: str = THREAD, at: int = 0, **more: Any) -> Row:
    return row("session_meta", {"id": thread, "cwd": "/home/dev/app", "source": "cli", **more}, at)


def said(role: str, text: str, at: int = 0, turn: str = "", **more: Any) -> Row:
    kind = "output_text" if role == "assistant" else "input_text"
    payload: Row = {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **more}
    return item(payload, at, turn)


def item(payload: Row, at: int = 0, turn: str = "") -> Row:
    if turn:
        payload = {**payload, "internal_chat_message_metadata_passthrough": {"turn_id": turn}}
    return row("response_item", payload, at)


def event(kind: str, at: int = 0, **payload: Any) -> Row:
    return row("event_msg", {"type": kind, **payload}, at)


def encoded(rows: Sequence[Any]) -> list[bytes]:
    return [json.dumps(value, separators=(",", ":")).encode() for value in rows]


def read(rows: Sequence[Any], name: str = "rollout.jsonl") -> tuple[Head, list[Line]]:
    """Read a rollout from its beginning."""
    lines = encoded(rows)
    head = HOST.head(Path(name), lines)
    assert head is not None
    reader = HOST.reader(name, head, b"", 1)
    return head, [reader.read(line, number) for number, line in enumerate(lines, 1)]


def blocks(rows: Sequence[Any]) -> list[Block]:
    """The blocks of a rollout."""
    return [block for line in read(rows)[1] for block in line.blocks]


def only(payload: Row) -> Block:
    """The one block of an item."""
    (block,) = blocks([header(), item(payload)])
    return block


def texts(found: Sequence[Block]) -> list[str]:
    return [text_of(block) for block in found]
