"""Kept lines of a conversation, a project or memories as blocks.

What names a block is the id of its message; when the message says several things, `#` and its place among them follow.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts.blocks import Part
from unabridged.hosts.calls import call_pieces
from unabridged.hosts.claude_ai.discover import CHAT, DOC, MEMORY, MESSAGE, PROJECT, title_of
from unabridged.hosts.claude_ai.parts import Said, message_parts, string
from unabridged.hosts.contract import EMPTY, Block, Head, Line, Ref, SessionNews
from unabridged.hosts.lines import NOT_AN_OBJECT, values
from unabridged.hosts.names import native_name
from unabridged.hosts.times import from_iso
from unabridged.schema.records import META, SUMMARY


class State(msgspec.Struct, array_like=True):
    """What a reader remembers: the title that was told last, and the conversation's model."""

    title: str = ""
    model: str = ""


class Reader:
    """Reads the lines of one conversation; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, memory: bytes) -> None:
        """Go on from `memory`, or start with b""."""
        self._state = msgspec.msgpack.decode(memory, type=State) if memory else State(head.title)

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return msgspec.msgpack.encode(self._state)

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        del number
        found = values(line)
        problem = found.problem
        blocks: list[Block] = []
        news: SessionNews | None = None
        for at, value in enumerate(found.items):
            if not isinstance(value, dict):
                problem = problem or NOT_AN_OBJECT
                continue
            news = self._row(cast("dict[str, Any]", value), at, blocks) or news
        if not blocks and news is None and problem is None:
            return EMPTY
        return Line(tuple(blocks), news, problem)

    def _row(self, row: dict[str, Any], at: int, blocks: list[Block]) -> SessionNews | None:
        for kind in (MESSAGE, CHAT, DOC, PROJECT, MEMORY):
            found: Any = row.get(kind)
            if not isinstance(found, dict):
                continue
            value = cast("dict[str, Any]", found)
            if kind == MESSAGE:
                self._message(value, string(row, "above"), at, blocks)
            elif kind == DOC:
                blocks += _document(value, at)
            elif kind == MEMORY:
                blocks += _memories(value, at)
            else:
                blocks += _described(kind, value, at)
                return self._told(kind, value)
            return None
        return None

    def _told(self, kind: str, value: dict[str, Any]) -> SessionNews | None:
        self._state.model = string(value, "model")
        title = title_of(kind, value)
        if not title or title == self._state.title:
            return None
        self._state.title = title
        return SessionNews(title=title)

    def _message(self, message: dict[str, Any], above: str, at: int, blocks: list[Block]) -> None:
        name = native_name(string(message, "uuid"))
        if not name:
            return
        said = message_parts(message, (at, MESSAGE))
        for one in said:
            native = f"{name}#{one.place}" if len(said) > 1 else name
            block = _block(native, one, string(message, "created_at"), native_name(above))
            if one.part.role == "assistant":
                model = string(message, "model") or self._state.model
                block = msgspec.structs.replace(block, message=name, model=model)
            blocks.append(block)


def _block(native: str, said: Said, time: str, parent: str = "") -> Block:
    part, moment = said.part, from_iso(said.time or time)
    return Block(
        native,
        native,
        part.kind,
        part.role,
        part.pieces,
        part.flags,
        moment.micros,
        moment.offset_minutes,
        part.tool,
        part.call,
        part.paths,
        parent,
        part.media,
    )


def _document(doc: dict[str, Any], at: int) -> list[Block]:
    """Return a document of a project."""
    name, text = string(doc, "filename"), string(doc, "content")
    native = native_name(string(doc, "uuid") or name)
    if not native or not text:
        return []
    pieces = (f"[file {name}]\n", Ref((at, DOC, "content"), text))
    part = Part("file", "user", pieces, paths=(name,) if name else ())
    return [_block(native, Said("0", part), string(doc, "created_at"))]


def _described(kind: str, value: dict[str, Any], at: int) -> list[Block]:
    """Return what a conversation or project says of itself: a summary; a description, the model's instructions."""
    name = native_name(string(value, "uuid"))
    flags = {"summary": SUMMARY, "description": META, "prompt_template": META}
    return [
        _block(
            f"{name}.{key}",
            Said("0", Part("text", "system", (Ref((at, kind, key), string(value, key)),), flags[key])),
            string(value, "updated_at"),
        )
        for key in flags
        if name and string(value, key)
    ]


def _memories(value: dict[str, Any], at: int) -> list[Block]:
    """Return what the model remembers of a person and of each project."""
    found: list[Block] = []
    for key, item in value.items():
        if key == "account_uuid" or not item:
            continue
        if isinstance(item, str):
            pieces = (Ref((at, MEMORY, key), item),)
        else:
            pieces = call_pieces(key, item, (at, MEMORY, key))
        found.append(_block(native_name(key), Said("0", Part("text", "system", pieces, SUMMARY)), ""))
    return found
