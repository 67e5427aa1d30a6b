"""Kept lines of a conversation as blocks.

What names a block is the id of its node; when the message has several parts, `#` and the part's number follow. What an
answer cites is a block of its own behind it.
"""

from __future__ import annotations

from typing import Any, cast

from unabridged.hosts.blocks import Part
from unabridged.hosts.chatgpt.discover import CONVERSATION, NODE, title_of
from unabridged.hosts.chatgpt.parts import message_parts, sources, text_of, textdocs
from unabridged.hosts.contract import EMPTY, Block, Head, Line, SessionNews
from unabridged.hosts.lines import NOT_AN_OBJECT, values
from unabridged.hosts.names import native_name
from unabridged.hosts.times import UNKNOWN, from_unix


class Reader:
    """Reads the lines of one conversation; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, memory: bytes) -> None:
        """Go on from `memory`, or start with b""."""
        self._title = memory.decode() if memory else head.title

    def state(self) -> bytes:
        """Return the title that was told last."""
        return self._title.encode()

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        del number
        found = values(line)
        problem = found.problem
        blocks: list[Block] = []
        news: SessionNews | None = None
        closes = False
        for at, value in enumerate(found.items):
            if not isinstance(value, dict):
                problem = problem or NOT_AN_OBJECT
                continue
            row = cast("dict[str, Any]", value)
            node, told = row.get(NODE), row.get(CONVERSATION)
            if isinstance(node, dict):
                closes = self._node(cast("dict[str, Any]", node), row, at, blocks) or closes
            elif isinstance(told, dict):
                conversation = cast("dict[str, Any]", told)
                news = self._told(conversation) or news
                for name, part in textdocs(conversation, (at, CONVERSATION)):
                    native = native_name(f"canvas.{name}")
                    blocks.append(_block(native, native, part, conversation, {}))
        if not blocks and news is None and problem is None and not closes:
            return EMPTY
        return Line(tuple(blocks), news, problem, closes)

    def _told(self, conversation: dict[str, Any]) -> SessionNews | None:
        title = title_of(conversation)
        if not title or title == self._title:
            return None
        self._title = title
        return SessionNews(title=title)

    def _node(self, node: dict[str, Any], row: dict[str, Any], at: int, blocks: list[Block]) -> bool:
        """Read a node; tell whether the model's turn ends with it."""
        raw: Any = node.get("message")
        if not isinstance(raw, dict):
            return False
        message = cast("dict[str, Any]", raw)
        name = native_name(text_of(node, "id") or text_of(message, "id"))
        if not name:
            return False
        parts = message_parts(message, (at, NODE, "message"))
        for index, part in enumerate(parts):
            native = f"{name}#{index}" if len(parts) > 1 else name
            blocks.append(_block(native, name, part, message, row))
        cited = sources(message) if parts and parts[0].role == "assistant" else None
        if cited is not None:
            blocks.append(_block(f"{name}.sources", name, cited, message, row))
        return message.get("end_turn") is True and bool(parts) and parts[0].role == "assistant"


def _block(native: str, name: str, part: Part, message: dict[str, Any], row: dict[str, Any]) -> Block:
    created: Any = message.get("create_time")
    time = from_unix(created) if isinstance(created, int | float) else UNKNOWN
    metadata: Any = message.get("metadata")
    model = text_of(cast("dict[str, Any]", metadata), "model_slug") if isinstance(metadata, dict) else ""
    call = name if part.kind == "tool-call" else native_name(text_of(row, "call"))
    return Block(
        native,
        native,
        part.kind,
        part.role,
        part.pieces,
        part.flags,
        time.micros,
        0,
        part.tool,
        call if part.kind in ("tool-call", "tool-result") else "",
        part.paths,
        native_name(text_of(row, "above")),
        part.media,
        name if part.role == "assistant" else "",
        model if part.role == "assistant" else "",
    )
