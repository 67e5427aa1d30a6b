"""Rows of a Gemini CLI session as blocks.

A block is named by its message's id and its place in it. The host writes a message again as it grows, and whole
histories when it goes on with a session: what has one name and says the same is one event. A history's messages that
are known are not read again: what the host changes in them (outputs that it masks) is for the model, not news.
"""

from __future__ import annotations

import hashlib
from typing import Any, cast

import msgspec

from unabridged.hosts.contract import EMPTY, Block, Head, Line, Problem, SessionNews
from unabridged.hosts.gemini.parts import Path, Said, message_parts
from unabridged.hosts.gemini.rows import Parsed, Row, parse
from unabridged.hosts.lines import LINE_TOO_LONG, fit
from unabridged.hosts.times import from_iso
from unabridged.schema.records import HUMAN, SIDE

MESSAGES = (
    300  # messages that are remembered: those of the conversation in their order, and all that were read
)
CALLS = 300  # calls whose results were read
ID_CHARACTERS = 64  # a longer id is none of this host's, and is not remembered
TITLE_CHARACTERS = 200
SUBAGENT = "subagent"
# Ends the name of a message of results, where the host writes down a history that it goes on with.
RESPONSES = "_response"


class State(msgspec.Struct, array_like=True):
    """What a reader remembers between lines."""

    session: str = ""  # the current header's, where it differs from the first
    messages: list[str] = []  # on the current line of conversation
    before: str = ""  # the message in front of those
    known: list[str] = []  # messages that were read, also those that were taken back
    calls: list[str] = []
    told: str = ""  # the title
    counted: int = 0  # contents without an id
    asked: dict[str, str] = {}  # calls that stand among the last answer's parts: what their results are named


class Reader:
    """Reads one session; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, memory: bytes) -> None:
        """Go on from `memory`, or start with b""."""
        self._head = head
        self._state = msgspec.msgpack.decode(memory, type=State) if memory else State(told=head.title)

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return msgspec.msgpack.encode(self._state)

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        del number
        rows, problem = parse(line)
        blocks: list[Block] = []
        news: SessionNews | None = None
        for parsed in rows:
            news = self._row(parsed, blocks) or news
            problem = problem or _too_long(parsed.row)
        if news is None and not blocks and problem is None:
            return EMPTY
        return Line(tuple(blocks), news, problem)

    def _row(self, parsed: Parsed, blocks: list[Block]) -> SessionNews | None:
        row, path = parsed.row, (parsed.number,)
        if row.rewind_to is not None:
            self._rewind(row.rewind_to)
        elif row.id or row.parts is not None:
            blocks += self._message(row, path)
        elif row.changes is not None:
            return self._changed(row.changes, (*path, "$set"), blocks)
        elif row.session_id:
            self._state.session = "" if row.session_id == self._head.host_session else row.session_id[:400]
            return self._titled(row.summary)
        return None

    def _changed(self, changes: Any, path: Path, blocks: list[Block]) -> SessionNews | None:
        row = fit(changes, Row)
        if row is None:
            return None
        messages: Any = cast("dict[str, Any]", changes).get("messages")
        for index, item in enumerate(cast("list[Any]", messages) if isinstance(messages, list) else []):
            message = fit(item, Row)
            if message is not None and message.id and message.id not in self._state.known:
                blocks += self._message(message, (*path, "messages", index))
        return self._titled(row.summary)

    def _titled(self, summary: str | None) -> SessionNews | None:
        """Return the title that the host has made; a subagent's is its report."""
        title = (summary or "").strip().split("\n", 1)[0][:TITLE_CHARACTERS]
        if not title or title == self._state.told or self._head.relation == SUBAGENT:
            return None
        self._state.told = title
        return SessionNews(self._state.session, title=title)

    # --- messages ---------------------------------------------------------------------------------------------------

    def _message(self, row: Row, path: Path) -> list[Block]:
        found = message_parts(row, path)
        # The results of an answer's calls follow it once more, in a message of their own.
        copies = [said for said in found if said.result and row.type != "gemini" and self._is_read(said)]
        found = [said for said in found if said not in copies]
        if not found:
            return []
        name = row.id or self._counted()
        asked = self._state.asked
        if name.endswith(RESPONSES) and all(_mark(said.result) in asked for said in found):
            name = name.removesuffix(RESPONSES)
            found = [said._replace(suffix=asked[_mark(said.result)]) for said in found]
        if row.type == "gemini":
            self._state.asked = _asked(found, row)
        parent = self._place(name)
        for said in found:
            if said.result and not self._is_read(said):
                self._state.calls = [*self._state.calls, _mark(said.result)][-CALLS:]
        return [self._block(said, row, name, parent) for said in found]

    def _is_read(self, said: Said) -> bool:
        return _mark(said.result) in self._state.calls

    def _counted(self) -> str:
        self._state.counted += 1
        return f"M{self._state.counted}"

    def _place(self, name: str) -> str:
        """Return the message in front of one, which is the next one unless it is known."""
        state = self._state
        if name in state.messages:
            index = state.messages.index(name)
            return state.messages[index - 1] if index else state.before
        parent = state.messages[-1] if state.messages else state.before
        if len(name) <= ID_CHARACTERS:
            state.messages.append(name)
            state.known = [*state.known, name][-MESSAGES:]
        if len(state.messages) > MESSAGES:
            state.before = state.messages.pop(0)
        return parent

    def _rewind(self, name: str) -> None:
        """Go back to in front of a message; where it is not known, the host begins anew, and so does the line."""
        state = self._state
        if name in state.messages:
            del state.messages[state.messages.index(name) :]
        else:
            state.messages, state.before = [], ""

    def _block(self, said: Said, row: Row, name: str, parent: str) -> Block:
        part, flags = said.part, said.part.flags
        if self._head.relation == SUBAGENT:  # its prompts were written by the agent that started it
            flags = (flags | SIDE) & ~HUMAN
        time = from_iso(said.timestamp or row.timestamp)
        session = self._state.session
        return Block(
            name + said.suffix,
            # A session that was copied keeps its messages' ids: they are the same messages.
            f"{name}{said.suffix}" if row.id else f"{session or self._head.host_session}:{name}{said.suffix}",
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
            (row.model or "") if part.role == "assistant" else "",
            session,
        )


def _asked(found: list[Said], row: Row) -> dict[str, str]:
    """Return the calls of an answer by their ids, with what the name of a result adds to the answer's."""
    calls = [said.part.call for said in found if said.part.kind == "tool-call" and not row.tool_calls]
    return {_mark(call): f"#{2 * at + 2}" for at, call in enumerate(calls[:CALLS]) if call}


def _mark(call: str) -> str:
    """Return what a call's id is remembered by: ids hold the tool's name twice and may be long."""
    return hashlib.blake2b(call.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _too_long(row: Row) -> Problem | None:
    return LINE_TOO_LONG if row.too_long is not None else None
