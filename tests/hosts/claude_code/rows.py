"""Rows of Claude Code transcripts, as its versions write them, for tests of single shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unabridged.hosts.claude_code import HOST
from unabridged.hosts.claude_code.read import Reader
from unabridged.hosts.contract import Block, Head, Line, Ref

SESSION = "11111111-2222-4333-8444-555555555555"
OTHER = "99999999-2222-4333-8444-555555555555"
TIME = "2026-05-04T03:02:01.500Z"
MICROS = 1_777_863_721_500_000


def uid(number: int) -> str:
    """The uuid of row `number`."""
    return f"00000000-0000-4000-8000-{number:012d}"


def row(number: int, kind: str, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    """A row of the tree."""
    return {
        "parentUuid": None if parent is None else uid(parent),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/dev/project",
        "sessionId": SESSION,
        "version": "2.1.20",
        "type": kind,
        "uuid": uid(number),
        "timestamp": TIME,
        **fields,
    }


def user(number: int, content: Any, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    """A user row."""
    return row(number, "user", parent, message={"role": "user", "content": content}, **fields)


def assistant(number: int, content: Any, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    """An assistant row."""
    message = {"id": f"msg_{number}", "role": "assistant", "model": "claude-opus-5-5", "content": content}
    return row(number, "assistant", parent, message={**message, **fields.pop("message", {})}, **fields)


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def call(name: str, arguments: Any, call_id: str = "toolu_1") -> dict[str, Any]:
    """A tool call block."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(content: Any, call_id: str = "toolu_1", **fields: Any) -> dict[str, Any]:
    """A tool result block."""
    return {"tool_use_id": call_id, "type": "tool_result", "content": content, **fields}


def encode(*rows: dict[str, Any] | bytes) -> list[bytes]:
    """The rows as lines without terminators."""
    return [item if isinstance(item, bytes) else json.dumps(item).encode("utf-8") for item in rows]


def reader(head: Head | None = None, state: bytes = b"") -> Reader:
    """A reader of the session."""
    return Reader(head or Head(SESSION, "/home/dev/project"), state, 1)


def read(*rows: dict[str, Any] | bytes, head: Head | None = None) -> list[Line]:
    """The lines that rows give."""
    reading = reader(head)
    return [reading.read(line, number) for number, line in enumerate(encode(*rows), 1)]


def blocks(*rows: dict[str, Any] | bytes, head: Head | None = None) -> list[Block]:
    """The blocks that rows give."""
    return [block for line in read(*rows, head=head) for block in line.blocks]


def text_of(block: Block) -> str:
    """A block's whole text."""
    return "".join(piece.text if isinstance(piece, Ref) else piece for piece in block.pieces)


def write(path: Path, *rows: dict[str, Any] | bytes) -> Path:
    """A transcript of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in encode(*rows)))
    return path


def head_of(path: Path) -> Head | None:
    """What the host reads from a transcript's first lines."""
    return HOST.head(path, path.read_bytes().splitlines())
