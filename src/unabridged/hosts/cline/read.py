"""Kept rows of Cline's conversations as blocks.

What names a message is its id or its time; a message that the host changes under its name is another revision of it.
What stands in front of a message is what the document says: where the person went back to an earlier place and went on
from there, the conversation has branches.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts import news
from unabridged.hosts.cline.parts import Said, message_parts
from unabridged.hosts.cline.rows import (
    MESSAGE,
    SESSION,
    SHOWN,
    TOO_LONG,
    Message,
    Parsed,
    Row,
    name_of,
    parse,
)
from unabridged.hosts.cline.shown import shown_parts
from unabridged.hosts.contract import EMPTY, Block, Head, Line, SessionNews
from unabridged.hosts.lines import LINE_TOO_LONG
from unabridged.hosts.times import from_unix
from unabridged.schema.ids import Micros
from unabridged.schema.records import ECHO, HUMAN, SIDE

CALLS = 64  # open calls of this product that are remembered
NAME_CHARACTERS = 200
SUBAGENT = "subagent"


class State(msgspec.Struct, array_like=True):
    """What a reader remembers between lines."""

    last: str = ""  # the last message
    lines: int = 0  # messages without any name
    calls: list[str] = []  # calls of this product
    told: SessionNews | None = None
    created: float = 0  # when the session began, in milliseconds


class Reader:
    """Reads one conversation; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, memory: bytes) -> None:
        """Go on from `memory`, or start with b""."""
        self._head = head
        self._state = msgspec.msgpack.decode(memory, type=State) if memory else State()
        told = self._state.told
        # The head of a session that goes on says nothing but its name.
        self._side = (told.relation if told is not None else head.relation) == SUBAGENT

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return msgspec.msgpack.encode(self._state)

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        del number
        rows, problem = parse(line)
        blocks: list[Block] = []
        told: SessionNews | None = None
        for parsed in rows:
            kind = parsed.row.cline
            if kind == SESSION:
                told = self._session(parsed.row) or told
            elif kind in (MESSAGE, SHOWN) and parsed.row.data is not None:
                blocks += self._message(parsed, parsed.row.data)
            elif kind == TOO_LONG:
                problem = problem or LINE_TOO_LONG
        if told is None and not blocks and problem is None:
            return EMPTY
        return Line(tuple(blocks), told, problem)

    def _session(self, row: Row) -> SessionNews | None:
        now = SessionNews("", row.title or "", row.cwd or "", row.parent or "", row.relation or "")
        before = self._state.told or news.of_head(self._head)
        self._state.told, self._state.created = now, row.created or 0
        self._side = now.relation == SUBAGENT
        return news.changes(now, before)

    def _message(self, parsed: Parsed, message: Message) -> list[Block]:
        row, state = parsed.row, self._state
        name = name_of(message, row.name or "")[:NAME_CHARACTERS].replace("~", "-").replace("#", "-")
        if not name:
            state.lines += 1
            name = f"L{state.lines}"
        parent = state.last if row.after is None else row.after
        path = (parsed.number, "data")
        # A conversation's first words are as old as itself.
        time = from_unix(message.ts or (0 if state.last else state.created))
        found = shown_parts(message, path) if row.cline == SHOWN else message_parts(message, path)
        if found:
            state.last = name
        return [
            self._block(said, message, name, parent if parent != name else "", time.micros) for said in found
        ]

    def _block(self, said: Said, message: Message, name: str, parent: str, time: Micros) -> Block:
        part = said.part
        flags = part.flags | self._echo(said)
        if self._side:  # a subagent's prompts were written by the agent that started it
            flags = (flags | SIDE) & ~HUMAN
        model = _model(message.model_info) if part.role == "assistant" else ""
        return Block(
            name + said.suffix,
            # A session that was made from another one keeps the ids of what it took over.
            f"{name}{said.suffix}" if message.id else f"{self._head.host_session}:{name}{said.suffix}",
            part.kind,
            part.role,
            part.pieces,
            flags,
            time,
            0,
            part.tool,
            part.call,
            part.paths,
            parent,
            part.media,
            "",
            model,
        )

    def _echo(self, said: Said) -> int:
        """Mark the result of a call of this product as its call is marked."""
        part, calls = said.part, self._state.calls
        if part.kind == "tool-call" and part.flags & ECHO and part.call:
            self._state.calls = [*calls, part.call[:NAME_CHARACTERS]][-CALLS:]
        return ECHO if part.kind == "tool-result" and part.call in calls else 0


def _model(info: Any) -> str:
    row = cast("dict[str, Any]", info) if isinstance(info, dict) else {}
    model = row.get("modelId") or row.get("id")
    return model if isinstance(model, str) else ""
