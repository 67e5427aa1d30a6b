"""Lines of Cursor's conversations as blocks: kept rows of its databases, and its own transcripts.

A message of a database is named by its id. A transcript's lines have neither ids nor times: what names a block there is
its line.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts import news
from unabridged.hosts.contract import EMPTY, Block, Head, Line, SessionNews
from unabridged.hosts.cursor.bubbles import bubble_model, bubble_parts, bubble_time
from unabridged.hosts.cursor.messages import Said, message_parts
from unabridged.hosts.cursor.rows import BUBBLE, MESSAGE, SESSION, TOO_LONG, TURN_ENDED, Parsed, Row, parse
from unabridged.hosts.lines import LINE_TOO_LONG
from unabridged.hosts.times import UNKNOWN, HostTime, from_unix
from unabridged.schema.records import HUMAN, SIDE

NAME_CHARACTERS = 200
UUID_CHARACTERS = 36
SUBAGENT = "subagent"


class State(msgspec.Struct, array_like=True):
    """What a reader remembers between lines."""

    last: str = ""  # the last message
    told: SessionNews | None = None
    created: float = 0  # when the session began, in milliseconds


class Reader:
    """Reads one conversation; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, memory: bytes, generation: int) -> None:
        """Go on from `memory`, or start with b""."""
        self._head = head
        self._generation = generation
        self._state = msgspec.msgpack.decode(memory, type=State) if memory else State()
        told = self._state.told
        # The head of a session that goes on says nothing but its name.
        self._side = (told.relation if told is not None else head.relation) == SUBAGENT

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return msgspec.msgpack.encode(self._state)

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        rows, problem = parse(line)
        blocks: list[Block] = []
        told: SessionNews | None = None
        closes = False
        for parsed in rows:
            row = parsed.row
            if row.cursor == SESSION:
                told = self._session(row) or told
            elif row.cursor in (BUBBLE, MESSAGE):
                blocks += self._kept(parsed)
            elif row.cursor == TOO_LONG:
                problem = problem or LINE_TOO_LONG
            elif row.type == TURN_ENDED:
                closes = True
            elif row.role and row.cursor is None:
                place = f"L{number}.{parsed.number}" if len(rows) > 1 else f"L{number}"
                blocks += self._transcribed(parsed, place)
        if told is None and not blocks and problem is None and not closes:
            return EMPTY
        return Line(tuple(blocks), told, problem, closes)

    def _session(self, row: Row) -> SessionNews | None:
        now = SessionNews("", row.title or "", row.cwd or "", row.parent or "", row.relation or "")
        before = self._state.told or news.of_head(self._head)
        self._state.told, self._state.created = now, row.created or 0
        self._side = now.relation == SUBAGENT
        return news.changes(now, before)

    def _kept(self, parsed: Parsed) -> list[Block]:
        row = parsed.row
        raw: Any = row.data
        data = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
        name = (row.name or "").replace("~", "-").replace("#", "-")[:NAME_CHARACTERS]
        if not name:
            return []
        path = (parsed.number, "data")
        if row.cursor == BUBBLE:
            found, time, model = bubble_parts(data, path), bubble_time(data), bubble_model(data)
        else:
            role: Any = data.get("role")
            found = message_parts(
                role if isinstance(role, str) else "", data.get("content"), (*path, "content")
            )
            time, model = UNKNOWN, _model(data)
        parent = self._state.last if row.after is None else row.after
        if not (time.micros or self._state.last):  # a conversation's first words are as old as itself
            time = from_unix(self._state.created)
        if found:
            self._state.last = name
        parent = parent if parent != name else ""
        # A duplicate of a conversation keeps its bubbles' ids; a blob is named by what it says, in any session.
        shared = row.cursor == BUBBLE and len(name) == UUID_CHARACTERS
        identity = name if shared else f"{self._head.host_session}:{name}"
        return [self._block(said, name, identity, time, parent, model or row.model or "") for said in found]

    def _transcribed(self, parsed: Parsed, place: str) -> list[Block]:
        row = parsed.row
        path: tuple[int | str, ...] = (parsed.number, "content")
        content: Any = row.content
        message: Any = row.message
        if isinstance(message, dict):
            content = cast("dict[str, Any]", message).get("content")
            path = (parsed.number, "message", "content")
        found = message_parts(row.role or "", content, path)
        name, parent = f"{place}@{self._generation}", self._state.last
        if found:
            self._state.last = name
        identity = f"{self._head.host_session}:{place}"
        return [self._block(said, name, identity, UNKNOWN, parent, "") for said in found]

    def _block(self, said: Said, name: str, identity: str, time: HostTime, parent: str, model: str) -> Block:
        part, flags = said.part, said.part.flags
        if self._side:  # a subagent's prompts were written by the agent that started it
            flags = (flags | SIDE) & ~HUMAN
        return Block(
            name + said.suffix,
            identity + said.suffix,
            part.kind,
            part.role,
            part.pieces,
            flags,
            time.micros,
            time.offset_minutes,
            part.tool,
            part.call,
            part.paths,
            parent,
            part.media,
            "",
            model if part.role == "assistant" else "",
        )


def _model(message: dict[str, Any]) -> str:
    """Return the model that a message's blocks name."""
    content: Any = message.get("content")
    for item in cast("list[Any]", content) if isinstance(content, list) else []:
        options: Any = cast("dict[str, Any]", item).get("providerOptions") if isinstance(item, dict) else None
        cursor: Any = cast("dict[str, Any]", options).get("cursor") if isinstance(options, dict) else None
        name: Any = cast("dict[str, Any]", cursor).get("modelName") if isinstance(cursor, dict) else None
        if isinstance(name, str) and name:
            return name
    return ""
