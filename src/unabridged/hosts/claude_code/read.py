"""Lines of a Claude Code transcript as blocks.

One row holds one or more content blocks of one message. What names a block is the row's uuid, since a fork copies rows
with their uuids, with the index of the block. Rows form a tree by `parentUuid`; a row without content is passed over,
so that its children hang on the last row before it that has some.
"""

from __future__ import annotations

from typing import Any, cast

from unabridged.hosts.blocks import Found, Part, Path, first_text, read_part, text_part
from unabridged.hosts.claude_code.asides import TURN_ENDS, attached_parts, system_part
from unabridged.hosts.claude_code.prompts import author_flags
from unabridged.hosts.claude_code.rows import Message, Parsed, Progress, Row, parse
from unabridged.hosts.claude_code.state import Memory
from unabridged.hosts.contract import EMPTY, Block, Head, Line, Ref
from unabridged.hosts.times import HostTime, from_iso
from unabridged.schema.records import ECHO, ERROR, HUMAN, META, SIDE, SUMMARY

SPEAKERS = frozenset(("user", "assistant"))
SYNTHETIC = "<synthetic>"  # the model's name on assistant rows that the host wrote itself


class Reader:
    """Reads one transcript; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, state: bytes, generation: int) -> None:
        """Go on from `state`, or start with b""."""
        self._memory = Memory(head, state)
        self._generation = generation

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return self._memory.encode()

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        rows, problem = parse(line)
        blocks: list[Block] = []
        closes = False
        for parsed in rows:
            row = parsed.row
            # Rows without a uuid stand outside the tree. Those of the request log hold every message once more.
            if row.uuid is None and (row.message is None or row.type not in SPEAKERS):
                self._memory.bookkeep(row)
                continue
            blocks += self._row(parsed, line, number)
            closes = closes or (row.subtype in TURN_ENDS and not row.is_sidechain)
        news = self._memory.next_news()
        if news is None and not blocks and not closes and problem is None:
            return EMPTY
        return Line(tuple(blocks), news, problem, closes)

    def _row(self, parsed: Parsed, line: bytes, number: int) -> list[Block]:
        row = parsed.row
        session = self._memory.session_of(row)
        found: list[Found] = []
        if row.message is not None:
            found = self._content(row, row.message, (parsed.number, "message", "content"))
        elif row.type == "system":
            found = _alone(system_part(parsed, line))
        elif row.type == "attachment":
            found = attached_parts(parsed, line)
        elif isinstance(row.content, str) and row.content:
            path: Path = (parsed.number, "content")
            found = _alone(Part("other", "other", (Ref(path, row.content),), META))
        blocks = self._blocks(row, found, session, number) if found else []
        if row.data is not None and row.data.message is not None:
            blocks += self._inner(row, row.data, parsed.number, number)
        self._memory.follow(row, bool(found), session)
        return blocks

    def _inner(self, outer: Row, data: Progress, at: int, number: int) -> list[Block]:
        """Return the blocks of a subagent's row inside a progress row: those that the agent's own file gives."""
        inner = data.message
        if inner is None or inner.message is None:
            return []
        main = outer.session_id or self._memory.main
        session = f"{main}/agent-{data.agent_id}" if data.agent_id else f"{main}/agent"
        self._memory.announce(session, outer.cwd, main)
        row = Row(
            type=inner.type,
            uuid=inner.uuid,
            timestamp=inner.timestamp or outer.timestamp,
            is_sidechain=True,
            is_meta=inner.is_meta,
            message=inner.message,
        )
        found = self._content(row, inner.message, (at, "data", "message", "message", "content"))
        return self._blocks(row, found, "" if session == self._memory.session else session, number)

    def _content(self, row: Row, message: Message, path: Path) -> list[Found]:
        """Read the blocks of a message."""
        role = _role(message.role or row.type)
        flags = _message_flags(row, message)
        content: Any = message.content
        if isinstance(content, str):
            part = text_part(content, path, role)
            return [] if part is None else [(-1, part, self._flags(row, part, flags))]
        if not isinstance(content, list):
            return []
        blocks = cast("list[Any]", content)
        single = len(blocks) == 1
        found: list[Found] = []
        for index, block in enumerate(blocks):
            part = read_part(block, (*path, index), role)
            if part is not None:
                found.append((-1 if single else index, part, self._flags(row, part, flags)))
        return found

    def _flags(self, row: Row, part: Part, flags: int) -> int:
        """Return a block's flags; calls of this product are remembered until their results come."""
        if part.kind == "tool-result":
            return flags | ECHO if self._memory.close_call(part.call) else flags
        if part.kind == "tool-call":
            if part.flags & ECHO:
                self._memory.open_call(part.call)
            return flags
        if part.role != "user" or flags & (META | SUMMARY):
            return flags
        author = author_flags(first_text(part), row.origin)
        # A subagent's prompt was written by the agent that started it.
        return flags | (author & ~HUMAN if row.is_sidechain else author)

    def _blocks(self, row: Row, found: list[Found], session: str, number: int) -> list[Block]:
        name = row.uuid or f"L{number}@{self._generation}"
        identity = row.uuid or f"{session or self._memory.session}:{name}"
        time = from_iso(row.timestamp)
        parent = self._memory.parent_of(row)
        side = SIDE if row.is_sidechain else 0
        message, model = "", ""
        if row.message is not None:
            model = row.message.model or ""
            message = row.message.id or "" if model != SYNTHETIC else ""
        return [_block(item, name, identity, side, time, parent, message, model, session) for item in found]


def _block(
    found: Found,
    name: str,
    identity: str,
    flags: int,
    time: HostTime,
    parent: str,
    message: str,
    model: str,
    session: str,
) -> Block:
    index, part, more = found
    return Block(
        name if index < 0 else f"{name}#{index}",
        f"{identity}#{max(index, 0)}",
        part.kind,
        part.role,
        part.pieces,
        flags | more | part.flags,
        time.micros,
        time.offset_minutes,
        part.tool,
        part.call,
        part.paths,
        parent,
        part.media,
        message,
        model,
        session,
    )


def _alone(part: Part | None) -> list[Found]:
    return [] if part is None else [(-1, part, 0)]


def _role(role: str | None) -> str:
    return role if role in ("user", "assistant", "system") else "other"


def _message_flags(row: Row, message: Message) -> int:
    if row.is_compact_summary:
        return SUMMARY
    if row.is_api_error_message:
        return ERROR | META
    if row.is_meta or row.is_visible_in_transcript_only or message.model == SYNTHETIC:
        return META
    return 0
