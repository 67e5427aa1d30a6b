"""Lines of a Codex rollout as blocks.

A source key holds the row's ordinal, or `L` and its line; what names a block across copies is in `place`. Rows of type
`response_item` are the conversation; events repeat it, but for what a script did inside one call and for rollouts of
versions that wrote events only.
"""

from __future__ import annotations

from unabridged.hosts.codex import nested, parts, state
from unabridged.hosts.codex.clock import Clock
from unabridged.hosts.codex.messages import digest, read_message, text_parts
from unabridged.hosts.codex.parts import REASONING, Part
from unabridged.hosts.codex.rows import Parsed, parse, parse_odd
from unabridged.hosts.codex.threads import lineage
from unabridged.hosts.contract import EMPTY, Block, Head, Line, SessionNews
from unabridged.schema.ids import Micros, hashed
from unabridged.schema.records import ECHO, HUMAN, META, SIDE, SUMMARY

COPY_SPAN = 10_000_000  # microseconds behind the header in which a copy is written, where no turn id tells
UUID_TEXT = 36
VERSION_AT = 14  # of the digit in a UUID that tells its version; version 7 begins with its time

SPOKEN = {"user_message": "user", "agent_message": "assistant"}
ENDS = frozenset(("task_complete", "turn_complete", "turn_aborted"))
BEGINS = frozenset(("task_started", "turn_started"))
EVENTS = BEGINS | {
    "item_completed",
    "thread_name_updated",
    "thread_rolled_back",
    "mcp_tool_call_end",
    "web_search_end",
}
UNREAD = frozenset(
    (
        "compaction",
        "compaction_summary",
        "context_compaction",
        "compaction_trigger",
        "ghost_snapshot",
        "additional_tools",
    )
)
BARE_KINDS = frozenset(
    (
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "web_search_call",
    )
)
NO_SUMMARY = "[context compacted; the summary is encrypted]"


class Reader:
    """Reads one rollout; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, memory: bytes) -> None:
        """Go on from `memory`, or start with b""."""
        self._state = state.decode(memory, head)
        self._clock = Clock()

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return state.encode(self._state)

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        blocks: list[Block] = []
        parsed = parse(line)
        if parsed is None:
            return self._read_odd(line, number, blocks)
        kind = parsed.row.type
        if kind == "response_item":
            self._item(parsed, number, blocks)
        elif kind == "event_msg":
            if parsed.item.type in ENDS:
                return _CLOSES
            news = self._event(parsed, number, blocks)
            if news is not None:
                return Line(tuple(blocks), news)
        else:
            news = self._other(parsed, number, blocks)
            if news is not None:
                return Line(tuple(blocks), news)
        return Line(tuple(blocks)) if blocks else EMPTY

    def _read_odd(self, line: bytes, number: int, blocks: list[Block]) -> Line:
        """Read a line with no row or several, or with a row of a form that is new."""
        rows, problem = parse_odd(line)
        news: SessionNews | None = None
        closes = False
        for parsed in rows:
            kind = parsed.row.type
            if kind == "response_item":
                self._item(parsed, number, blocks)
            elif kind == "event_msg" and parsed.item.type in ENDS:
                closes = True
            elif kind == "event_msg":
                news = self._event(parsed, number, blocks) or news
            else:
                news = self._other(parsed, number, blocks) or news
        return Line(tuple(blocks), news, problem, closes)

    # --- items ------------------------------------------------------------------------------------------------------

    def _item(self, parsed: Parsed, number: int, blocks: list[Block]) -> None:
        memory = self._state
        memory.leading = False
        item = parsed.item
        kind = item.type
        if kind == "reasoning":
            self._add(parsed, number, item.id or kind, (REASONING,), blocks)
        elif kind == "message":
            self._message(parsed, number, blocks)
        elif kind is None or kind in UNREAD:
            return
        elif kind == "agent_message":
            self._agent_message(parsed, number, blocks)
        elif kind.endswith("_output"):
            tool, own = memory.close_call(item.call_id)
            if kind == "tool_search_output":
                part = parts.found_tools(item, parsed.rare(), parsed.path)
            else:
                part = parts.output(item, parsed.path, tool)
            name = f"out:{item.call_id or item.id or kind}"
            self._add(parsed, number, name, (part,), blocks, ECHO if own else 0)
        else:
            part = _call(kind, parsed)
            memory.open_call(part.call, part.tool, bool(part.flags & ECHO))
            self._add(parsed, number, f"call:{item.call_id or item.id or kind}", (part,), blocks)

    def _message(self, parsed: Parsed, number: int, blocks: list[Block]) -> None:
        memory = self._state
        memory.items = True
        item = parsed.item
        found = read_message(item, parsed.path)
        if memory.echoes and memory.is_echo(digest(item.role, found)):
            return
        if any(part.flags & HUMAN for part in found):
            memory.place.prompts += 1
        self._add(parsed, number, item.id or digest(item.role, found).hex(), found, blocks)

    def _agent_message(self, parsed: Parsed, number: int, blocks: list[Block]) -> None:
        """Read a message from one agent to another."""
        pieces = parts.agent_text(parsed.item, parsed.rare(), parsed.path)
        if pieces:
            name = parsed.item.id or hashed(8, parts.text_of(pieces)).hex()
            self._add(parsed, number, f"agent:{name}", (Part("text", "other", pieces),), blocks)

    # --- events -----------------------------------------------------------------------------------------------------

    def _event(self, parsed: Parsed, number: int, blocks: list[Block]) -> SessionNews | None:
        memory = self._state
        memory.leading = False
        item = parsed.item
        kind = item.type
        if kind not in EVENTS:
            if not memory.items:
                self._repeated(parsed, number, blocks)
        elif kind in BEGINS:
            memory.place.begin(item.turn_id)
        elif kind == "item_completed":
            if nested.NESTED_ID in parsed.line:
                found = nested.item_result(parsed.rare(), parsed.path)
                if found is not None:
                    self._add(parsed, number, f"event:{found.call}", (found.part,), blocks)
        elif kind == "thread_name_updated":
            return SessionNews(title=parsed.rare().thread_name or "")
        elif kind == "thread_rolled_back":
            text = f"[the last {parsed.rare().num_turns or 0} turns were taken back]"
            self._add(parsed, number, "rollback", (Part("other", "system", (text,), META),), blocks)
        else:
            call = item.call_id or ""
            if call.startswith(nested.NESTED):
                read = nested.tool_result if kind == "mcp_tool_call_end" else nested.search_result
                part = read(parsed.rare(), call, parsed.path)
                self._add(parsed, number, f"event:{call}", (part,), blocks)
        return None

    def _repeated(self, parsed: Parsed, number: int, blocks: list[Block]) -> None:
        """Read an event that stands for a message, in a rollout without response items."""
        memory = self._state
        item = parsed.item
        if item.type == "agent_reasoning":
            self._add(parsed, number, "reasoning", (REASONING,), blocks)
            return
        role = SPOKEN.get(item.type or "")
        if role is None or not item.message:
            return
        found = text_parts(item.message, (*parsed.path, "message"), role)
        name = digest(role, found)
        memory.echo(name)
        if any(part.flags & HUMAN for part in found):
            memory.place.prompts += 1
        self._add(parsed, number, name.hex(), found, blocks)

    # --- other rows -------------------------------------------------------------------------------------------------

    def _other(self, parsed: Parsed, number: int, blocks: list[Block]) -> SessionNews | None:
        memory = self._state
        kind, item = parsed.row.type, parsed.item
        if kind == "session_meta" or (kind is None and item.id is not None and item.type is None):
            self._header(parsed)
        elif kind == "turn_context":
            return self._context(parsed)
        elif kind == "compacted":
            text = item.message
            pieces = (parts.piece(text, (*parsed.path, "message")),) if text else (NO_SUMMARY,)
            name = parsed.rare().window_id or hashed(8, text or "").hex()
            part = Part("compaction", "assistant", pieces, SUMMARY)
            memory.leading = False
            self._add(parsed, number, f"compacted:{name}", (part,), blocks)
        elif kind == "inter_agent_communication":
            self._agent_message(parsed, number, blocks)
        elif parsed.path[-1] != "payload" and item.type in BARE_KINDS:  # a version before September 2025
            self._item(parsed, number, blocks)
        return None

    def _context(self, parsed: Parsed) -> SessionNews | None:
        memory = self._state
        memory.leading = False
        memory.place.begin(parsed.item.turn_id)
        rare = parsed.rare()
        memory.model = rare.model or memory.model
        if rare.cwd and rare.cwd != memory.cwd:
            memory.cwd = rare.cwd
            return SessionNews(cwd=rare.cwd)
        return None

    def _header(self, parsed: Parsed) -> None:
        memory = self._state
        name = parsed.item.id
        if not memory.headed:
            rare = parsed.rare()
            told = lineage(rare)
            memory.headed = True
            memory.side = told.side
            memory.side_parent = told.depth > 1
            memory.copied_until = rare.subagent_history_start_ordinal or 0
            memory.born = self._clock.read(parsed.row.timestamp)[0]
            memory.cwd = rare.cwd or ""
        elif memory.leading and name and name != memory.place.root:
            # The parent's header: behind it stands a copy of the parent's rows, or of what that copied itself.
            memory.place.root = name
            memory.copied = True

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _add(
        self,
        parsed: Parsed,
        number: int,
        name: str,
        found: tuple[Part, ...],
        blocks: list[Block],
        more: int = 0,
    ) -> None:
        """Append a row's blocks; `name` is what names the row in its turn, `more` are flags of all of them."""
        memory = self._state
        row = parsed.row
        time, offset = self._clock.read(row.timestamp) if row.timestamp else (memory.born, 0)
        made = parsed.item.made
        turn = made.turn_id if made is not None else None
        identity = memory.place.identity(turn, name)
        if row.ordinal is not None:
            native, index = str(row.ordinal), 0
        else:
            native, index = f"L{number}", len(blocks)
        side = memory.side and (not self._is_copy(parsed, turn, time) or memory.side_parent)
        for part in found:
            flags = part.flags | more
            if side:  # a subagent's prompts were written by the agent that started it
                flags = (flags | SIDE) & ~HUMAN
            written = part.role == "assistant"
            blocks.append(
                Block(
                    f"{native}#{index}" if index else native,
                    identity,
                    part.kind,
                    part.role,
                    part.pieces,
                    flags,
                    time,
                    offset,
                    part.tool,
                    part.call,
                    part.paths,
                    "",
                    part.media,
                    name if written and part.kind == "text" else "",
                    memory.model if written else "",
                )
            )
            index += 1
            identity = f"{identity}+"

    def _is_copy(self, parsed: Parsed, turn: str | None, time: Micros) -> bool:
        """Tell whether a row of a subagent was copied from its parent: what the parent did before it was born."""
        memory = self._state
        ordinal = parsed.row.ordinal
        if memory.copied_until and ordinal is not None:
            return ordinal < memory.copied_until
        turn = turn or memory.place.turn
        if _timed(turn) and _timed(memory.thread):
            return turn < memory.thread
        return memory.copied and time <= memory.born + COPY_SPAN


_CLOSES = Line(closes_turn=True)


def _timed(name: str) -> bool:
    return len(name) == UUID_TEXT and name[VERSION_AT] == "7"


def _call(kind: str, parsed: Parsed) -> Part:
    item, path = parsed.item, parsed.path
    if kind == "custom_tool_call":
        return parts.custom_call(item, path)
    if kind == "function_call":
        return parts.function_call(item, path, parts.tool_name(item))
    if kind == "local_shell_call":
        return parts.shell_call(item, parsed.rare(), path)
    if kind == "web_search_call":
        return parts.search_call(item, parsed.rare(), path)
    if kind == "image_generation_call":
        return parts.image_call(item, parsed.rare(), path)
    # tool_search_call, and what later versions add
    return parts.function_call(item, path, item.name or kind.removesuffix("_call"))
