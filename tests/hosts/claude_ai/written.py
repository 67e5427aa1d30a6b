"""Exports of Claude.ai, written by hand in the form that the service gives them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.hosts.claude_ai import HOST
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head

NOBODY = "00000000-0000-4000-8000-000000000000"  # the parent of a first message
ACCOUNT = "acc00000-0000-4000-8000-000000000001"


def uuid(number: int) -> str:
    """An id."""
    return f"0198{number:04x}-1111-7000-8000-{number:012x}"


class Chat:
    """A conversation that is written message by message; each follows the one before, or `above`."""

    def __init__(self, name: str = uuid(1), title: str = "Sourdough timing", **fields: Any) -> None:
        self.name, self.title, self.fields = name, title, fields
        self.messages: list[dict[str, Any]] = []
        self.last = NOBODY

    def say(self, sender: str, content: Any, name: str = "", above: str = "", **fields: Any) -> str:
        """Add a message; a string is its one text block. Return its id."""
        blocks = [{"type": "text", "text": content, "citations": []}] if isinstance(content, str) else content
        number = len(self.messages)
        name = name or uuid(100 + number)
        time = f"2026-03-01T10:{number:02d}:00.123456Z"
        text = "\n".join(str(block.get("text") or "") for block in blocks)
        blocks = [{"start_timestamp": time, "stop_timestamp": time, **block} for block in blocks]
        message = {
            "uuid": name,
            "text": text,
            "content": blocks,
            "sender": sender,
            "created_at": time,
            "updated_at": time,
            "attachments": [],
            "files": [],
            "parent_message_uuid": above or self.last,
        }
        self.messages.append({**message, **fields})
        self.last = name
        return name

    def value(self) -> dict[str, Any]:
        """The conversation as the export has it."""
        return {
            "uuid": self.name,
            "name": self.title,
            "summary": "",
            "created_at": "2026-03-01T10:00:00.000000Z",
            "updated_at": "2026-03-01T11:00:00.000000Z",
            "account": {"uuid": ACCOUNT},
            **self.fields,
            "chat_messages": self.messages,
        }


def chat() -> Chat:
    """A conversation of every kind of block, with an answer that was asked for again."""
    made = Chat(summary="**Overview**\n\nA person plans a loaf.", model="claude-sonnet-4-5")
    pasted = {
        "file_name": "",
        "file_size": 40,
        "file_type": "txt",
        "extracted_content": "Day 1: feed the starter.",
    }
    recipe = {
        "file_name": "loaf.md",
        "file_size": 60,
        "file_type": "md",
        "extracted_content": "# Loaf\n500 g flour",
    }
    made.say(
        "human",
        "When do I shape the loaf?",
        uuid(101),
        attachments=[pasted, recipe],
        files=[
            {"file_name": "crumb.jpg", "file_uuid": uuid(900)},
            {"file_name": "loaf.md", "file_uuid": uuid(901)},
        ],
    )
    blocks: list[dict[str, Any]] = [
        {
            "type": "thinking",
            "thinking": "Bulk first.",
            "summaries": [{"summary": "Timing"}],
            "cut_off": False,
        },
        {
            "type": "tool_use",
            "id": None,
            "name": "web_search",
            "input": {"query": "bulk fermentation at 24 C"},
        },
        {
            "type": "tool_result",
            "tool_use_id": None,
            "name": "web_search",
            "content": [{"type": "text", "text": "Four to five hours."}],
            "is_error": False,
        },
        {"type": "token_budget"},
        {"type": "text", "text": "Shape it after four and a half hours.", "citations": []},
    ]
    made.say("assistant", blocks, uuid(102))
    made.say("assistant", "Shape it when it has doubled.", uuid(103), above=uuid(101))
    made.say("human", "And in winter?", uuid(104), above=uuid(102))
    made.say("assistant", "Six hours.", uuid(105))
    return made


def project() -> dict[str, Any]:
    """A project with a document."""
    return {
        "uuid": uuid(7),
        "name": "Bakery",
        "description": "",
        "is_private": True,
        "is_starter_project": False,
        "prompt_template": "Answer in grams.",
        "created_at": "2026-02-01T10:00:00.000000Z",
        "updated_at": "2026-02-02T10:00:00.000000Z",
        "creator": {"uuid": ACCOUNT, "full_name": "A Person"},
        "docs": [
            {
                "uuid": uuid(70),
                "filename": "hydration.txt",
                "content": "Seventy percent.",
                "created_at": "2026-02-01T10:01:00.000000Z",
            }
        ],
    }


def memories() -> list[dict[str, Any]]:
    """What the model remembers."""
    return [
        {
            "conversations_memory": "Bakes on Sundays.",
            "project_memories": {uuid(7): "Prefers rye."},
            "account_uuid": ACCOUNT,
        }
    ]


def document(path: Path, chats: Sequence[Chat]) -> Path:
    """A document of conversations."""
    path.write_text(json.dumps([made.value() for made in chats]))
    return path


def archive(path: Path, chats: Sequence[Chat]) -> Path:
    """An export in an archive, as it is downloaded."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("users.json", json.dumps([{"uuid": ACCOUNT, "full_name": "A Person"}]))
        made.writestr("conversations.json", json.dumps([one.value() for one in chats]))
        made.writestr("memories.json", json.dumps(memories()))
        made.writestr(f"projects/{uuid(7)}.json", json.dumps(project(), indent=2))
    return path


def rows(path: Path, stream: str, state: bytes = b"") -> tuple[list[bytes], bytes]:
    """All lines that several looks give, with the last state."""
    lines: list[bytes] = []
    while True:
        more, state = HOST.rows(path, stream, state)
        if not more:
            return lines, state
        lines += more


def blocks(lines: Sequence[bytes]) -> list[Block]:
    """The blocks of lines."""
    reader = HOST.reader("x", HOST.head(Path("x"), lines) or Head("of a later look"), b"", 1)
    return [block for line in lines for block in reader.read(line.rstrip(b"\n"), 1).blocks]


def said(lines: Sequence[bytes]) -> list[tuple[str, str, str]]:
    """What lines say, shortly: kind, role, text."""
    return [(block.kind, block.role, text_of(block)) for block in blocks(lines)]
