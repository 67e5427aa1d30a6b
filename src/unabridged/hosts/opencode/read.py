"""Kept lines of a session as blocks.

What names a block is the id of its part (a tool's result adds `#1`), or of its message. A part that the host changes is
given again under the same id, as another revision of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import msgspec

from unabridged.hosts.contract import EMPTY, Block, Head, Line, Problem, SessionNews
from unabridged.hosts.lines import NOT_AN_OBJECT, fit, values
from unabridged.hosts.opencode.parts import Said, read_part
from unabridged.hosts.opencode.rows import INFO, MESSAGE, PART, SESSION, Message, Of, Part, ToolState
from unabridged.hosts.opencode.sessions import Told, told
from unabridged.hosts.times import from_unix
from unabridged.schema.records import ERROR, HUMAN, META, SIDE

TYPED = frozenset(("text", "tool", "reasoning", "file"))  # parts whose fields are all known
GOES_ON = frozenset(("tool-calls", "unknown"))  # why an answer ended, where the turn has not


class PartRow(msgspec.Struct, frozen=True, gc=False):
    """The line of a part."""

    table: str | None = None
    id: str | None = None
    message_id: str | None = None
    of: Of | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")
    created: int | None = None
    form: str | None = None


class Row(NamedTuple):
    """A line's object, and its number on the line."""

    line: PartRow
    number: int
    data: Any  # decoded only where the slow path has it


_decoder = msgspec.json.Decoder(PartRow)
_part = msgspec.json.Decoder(Part)
_message = msgspec.json.Decoder(Message)


class State(msgspec.Struct, array_like=True):
    """What a reader remembers: what was last told of the session, so that only changes are told."""

    told: Told | None = None


class Reader:
    """Reads the lines of one session; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, memory: bytes) -> None:
        """Go on from `memory`, or start with b""."""
        self._state = msgspec.msgpack.decode(memory, type=State) if memory else State()
        self._before = self._state.told or Told(head.title, head.cwd, head.parent, head.relation)
        self._problem: Problem | None = None  # with the line being read

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return msgspec.msgpack.encode(self._state)

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        del number
        rows, problem = _rows(line)
        self._problem = None
        blocks: list[Block] = []
        news: SessionNews | None = None
        closes = False
        for row in rows:
            if row.line.table == PART:
                self._part(row, blocks)
            elif row.line.table == MESSAGE:
                closes = self._message(row, blocks) or closes
            elif row.line.table == SESSION:
                news = self._session(row, blocks) or news
        problem = problem or self._problem
        if not blocks and news is None and problem is None and not closes:
            return EMPTY
        return Line(tuple(blocks), news, problem, closes)

    def _decoded(self, row: Row) -> Any:
        """Return a row's data in full; take note of what is wrong with it."""
        if row.data is not None:
            return row.data
        found = values(bytes(row.line.data))
        self._problem = self._problem or found.problem
        return found.items[0] if found.items else None

    def _part(self, row: Row, blocks: list[Block]) -> None:
        line, of = row.line, row.line.of or Of()
        if not line.id:
            return
        try:
            part = _part.decode(line.data)
        except msgspec.DecodeError:
            part = _fitted(self._decoded(row))
        data = None if part.type in TYPED else self._decoded(row)
        found = read_part(part, of, data, (row.number, "data"))
        for index, said in enumerate(found):
            name = f"{line.id}#{index}" if index else line.id
            blocks.append(self._block(name, said, of, line.message_id or ""))

    def _block(self, name: str, said: Said, of: Of, message: str) -> Block:
        flags = said.flags
        if (
            self._before.relation == "subagent"
        ):  # a subagent's prompts were written by the agent that started it
            flags = (flags | SIDE) & ~HUMAN
        return Block(
            name,
            name,
            said.kind,
            said.role,
            said.pieces,
            flags,
            from_unix(said.time or of.created).micros,
            0,
            said.tool,
            said.call,
            said.paths,
            "",
            said.media,
            message if of.role == "assistant" else "",
            of.model if said.role == "assistant" else "",
        )

    def _message(self, row: Row, blocks: list[Block]) -> bool:
        """Read an error; tell whether the turn is over."""
        line = row.line
        try:
            message = _message.decode(line.data)
        except msgspec.DecodeError:
            message = fit(self._decoded(row), Message) or Message()
        if message.role != "assistant":
            return False
        error: Any = message.error
        if isinstance(error, dict) and line.id:
            text = _error_text(cast("dict[str, Any]", error))
            said = Said("other", "assistant", (text,), ERROR | META)
            of = Of(line.created or 0, role="assistant")
            blocks.append(self._block(line.id, said, of, line.id))
            return True
        over = message.finished and message.finish not in GOES_ON
        return over and message.summary is not True

    def _session(self, row: Row, blocks: list[Block]) -> SessionNews | None:
        data: Any = self._decoded(row)
        columns = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        now = told(columns, row.line.form == INFO)
        before, self._before, self._state.told = self._before, now, now
        if now.revert and before.revert != now.revert:
            said = Said("other", "system", (f"[taken back from {now.revert}]",), META)
            name = f"{row.line.id}@{now.revert}"
            blocks.append(self._block(name, said, Of(now.updated), ""))
        news = SessionNews(
            title=now.title if now.title != before.title else "",
            cwd=now.cwd if now.cwd != before.cwd else "",
            parent=now.parent if now.parent != before.parent else "",
            relation=now.relation if now.relation != before.relation else "",
        )
        return news if news != SessionNews() else None


def _rows(line: bytes) -> tuple[list[Row], Problem | None]:
    try:
        return [Row(_decoder.decode(line), 0, None)], None
    except (msgspec.DecodeError, RecursionError):
        pass
    found = values(line)
    rows: list[Row] = []
    problem = found.problem
    for number, value in enumerate(found.items):
        if not isinstance(value, dict):
            problem = problem or NOT_AN_OBJECT
            continue
        whole = cast("dict[str, Any]", value)
        data = whole.get("data")
        rest = fit({key: item for key, item in whole.items() if key != "data"}, PartRow) or PartRow()
        rows.append(
            Row(msgspec.structs.replace(rest, data=msgspec.Raw(msgspec.json.encode(data))), number, data)
        )
    return rows, problem


def _fitted(data: Any) -> Part:
    """Return a part without the fields that have another type than is known."""
    part = fit(data, Part) or Part()
    if part.state is None and isinstance(data, dict):
        part = msgspec.structs.replace(part, state=fit(cast("dict[str, Any]", data).get("state"), ToolState))
    return part


def _error_text(error: dict[str, Any]) -> str:
    name: Any = error.get("name")
    inner: Any = error.get("data")
    text: Any = (
        cast("dict[str, Any]", inner).get("message") if isinstance(inner, dict) else error.get("message")
    )
    return f"{name or 'error'}: {text}" if isinstance(text, str) and text else str(name or "error")
