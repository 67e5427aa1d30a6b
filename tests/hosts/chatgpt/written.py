"""Exports of ChatGPT, written by hand in the form that the service gives them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.hosts.chatgpt import HOST
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head

BEGUN = 1_741_000_000.5
ROOT = "client-created-root"


class Talk:
    """A conversation that is written message by message; each is the child of the one before, or of `above`."""

    def __init__(
        self, name: str = "67c50000-aaaa-8000-9000-000000000001", title: str = "Rust lifetimes"
    ) -> None:
        self.name, self.title, self.now = name, title, BEGUN
        self.mapping: dict[str, Any] = {ROOT: {"id": ROOT, "message": None, "parent": None, "children": []}}
        self.last = ROOT

    def say(self, role: str, content: Any, node: str = "", above: str = "", **message: Any) -> str:
        """Add a message; a string is the one part of a text. Return the node's id."""
        if isinstance(content, str):
            content = {"content_type": "text", "parts": [content]}
        self.now += 12
        node = node or f"{len(self.mapping):08d}-bbbb-4000-8000-000000000000"
        parent = above or self.last
        body = {
            "id": node,
            "author": {"role": role, "name": message.pop("name", None), "metadata": {}},
            "create_time": self.now,
            "update_time": None,
            "content": content,
            "status": "finished_successfully",
            "end_turn": None,
            "weight": 1.0,
            "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
            "recipient": "all",
            "channel": None,
            **message,
        }
        self.mapping[node] = {"id": node, "message": body, "parent": parent, "children": []}
        self.mapping[parent]["children"].append(node)
        self.last = node
        return node

    def value(self) -> dict[str, Any]:
        """The conversation as the export has it."""
        return {
            "title": self.title,
            "create_time": BEGUN,
            "update_time": self.now,
            "mapping": self.mapping,
            "moderation_results": [],
            "current_node": self.last,
            "plugin_ids": None,
            "conversation_id": self.name,
            "is_archived": False,
            "default_model_slug": "gpt-4o",
            "id": self.name,
        }


def talk() -> Talk:
    """A conversation of every kind of message, with an edited prompt and an answer that was asked for again."""
    made = Talk()
    made.say("system", "", weight=0.0, metadata={"is_visually_hidden_from_conversation": True})
    context = {
        "content_type": "user_editable_context",
        "user_profile": "I write Rust.",
        "user_instructions": "",
    }
    made.say("user", context, metadata={"is_user_system_message": True})
    asked = made.say("user", "Why does the borrow checker refuse this closure?")
    thoughts = {
        "content_type": "thoughts",
        "thoughts": [{"summary": "Borrows", "content": "The closure moves.", "finished": True}],
    }
    made.say("assistant", thoughts)
    made.say("assistant", {"content_type": "reasoning_recap", "content": "Thought for 4s"})
    code = {
        "content_type": "code",
        "language": "unknown",
        "response_format_name": None,
        "text": "print(6 * 7)",
    }
    made.say("assistant", code, recipient="python")
    made.say("tool", {"content_type": "execution_output", "text": "42"}, name="python")
    made.say("assistant", "The closure takes the value: write move.", "answer-1", end_turn=True)
    picture = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "sediment://file_00000000c0de",
        "size_bytes": 1200,
        "width": 64,
        "height": 64,
        "metadata": {"dalle": None, "sanitized": True},
    }
    files = [
        {"id": "file_00000000c0de", "name": "screen.png", "size": 1200, "mime_type": "image/png"},
        {"id": "file-pdf", "name": "lifetimes.pdf", "size": 90_000, "mime_type": "application/pdf"},
    ]
    content = {"content_type": "multimodal_text", "parts": [picture, "And what does this picture say?"]}
    made.say("user", content, "with-picture", metadata={"attachments": files})
    made.say("assistant", "It shows error E0502.", "answer-2", end_turn=True)
    made.say("assistant", "It shows the error E0502 twice.", "answer-3", above="with-picture", end_turn=True)
    made.say(
        "user", "Why does the borrow checker refuse it, in one sentence?", "edited", above=above(made, asked)
    )
    made.say("assistant", "Because two borrows overlap.", "answer-4", end_turn=True)
    return made


def above(made: Talk, node: str) -> str:
    """The parent of a node."""
    return str(made.mapping[node]["parent"])


def document(path: Path, talks: Sequence[Talk]) -> Path:
    """A document of conversations."""
    path.write_text(json.dumps([made.value() for made in talks]))
    return path


def archive(path: Path, talks: Sequence[Talk], name: str = "conversations.json", **others: str) -> Path:
    """An export in an archive, as it is downloaded."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("chat.html", "<html></html>")
        made.writestr("user.json", '{"id":"user-1"}')
        made.writestr(name, json.dumps([one.value() for one in talks]))
        for other, text in others.items():
            made.writestr(other, text)
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
    head = HOST.head(Path("x"), lines) or Head("of a later look")
    reader = HOST.reader("x", head, b"", 1)
    return [block for line in lines for block in reader.read(line.rstrip(b"\n"), 1).blocks]


def said(lines: Sequence[bytes]) -> list[tuple[str, str, str]]:
    """What lines say, shortly: kind, role, text."""
    return [(block.kind, block.role, text_of(block)) for block in blocks(lines)]
