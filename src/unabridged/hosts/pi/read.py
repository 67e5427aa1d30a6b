"""Lines of a Pi session as blocks.

What names a block is its entry's id with the entry's time, since ids are unique in one file only and a fork copies
both; then the index of the block. Rows of version 1 have no ids: there it is the session, the message's time, role
and call, where rows that a branched session copied count as its parent's.
"""

from __future__ import annotations

import msgspec

from unabridged.hosts.contract import EMPTY, Block, Head, Line, SessionNews
from unabridged.hosts.pi.parts import Found, entry_parts
from unabridged.hosts.pi.rows import Message, Row, parse, session_in_path
from unabridged.hosts.times import HostTime, from_iso, from_unix
from unabridged.schema.records import ECHO

SKIPPED = (
    256  # entries without content that are remembered; a child stands nearly always right behind its parent
)
CALLS = 64  # open calls of this product that are remembered
NEWS = 16  # announcements that wait, since a line has room for one
ID_CHARACTERS = 128  # a longer id is none of this host's, and is not remembered whole
TITLE_CHARACTERS = 200
NO_MESSAGE = Message()


class State(msgspec.Struct, array_like=True):
    """What a reader remembers between lines."""

    session: str = ""  # the current header's, where it differs from the first
    parent: str = ""
    branched: bool = False  # the current header names a parent
    started: int = 0  # microseconds: time of the current header
    copied: str = ""  # last entry that was copied from the parent
    last: str = ""  # native id of the last entry with content, for version 1
    skipped: dict[str, str] = {}
    calls: dict[str, str] = {}
    news: list[SessionNews] = []


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[State] = msgspec.msgpack.Decoder(State)


class Reader:
    """Reads one session file; see `hosts.contract.LineReader`."""

    def __init__(self, head: Head, state: bytes, generation: int) -> None:
        """Go on from `state`, or start with b""."""
        self._head = head
        self._generation = generation
        self._state = _decoder.decode(state) if state else State()

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        return _encoder.encode(self._state)

    def read(self, line: bytes, number: int) -> Line:
        """Read one line."""
        rows, problem = parse(line)
        blocks: list[Block] = []
        closes = False
        for parsed in rows:
            row = parsed.row
            if row.type == "session":
                self._header(row)
            elif row.type == "session_info":
                if row.name:
                    self._tell(SessionNews(self._state.session, title=row.name[:TITLE_CHARACTERS]))
                self._skip(row)
            else:
                blocks += self._entry(row, parsed.number, number, len(rows) > 1)
                closes = closes or (row.message is not None and row.message.stop_reason == "stop")
        news = self._state.news.pop(0) if self._state.news else None
        if news is None and not blocks and not closes and problem is None:
            return EMPTY
        return Line(tuple(blocks), news, problem, closes)

    def _header(self, row: Row) -> None:
        """Begin a session; a file can hold several headers."""
        state = self._state
        session = (row.id or "")[:ID_CHARACTERS]
        title = (row.title or "")[:TITLE_CHARACTERS]
        state.session = "" if session == self._head.host_session else session
        origin = row.parent_session or row.branched_from
        state.parent = session_in_path(origin)[:ID_CHARACTERS]
        state.branched = bool(origin)
        state.started = from_iso(row.timestamp).micros
        state.copied = state.last = ""
        if state.session:
            relation = "fork" if state.parent else ""
            self._tell(SessionNews(session, title, row.cwd or "", state.parent, relation))
        elif title and row.title != self._head.title:
            self._tell(SessionNews(title=title))

    def _entry(self, row: Row, at: int, number: int, glued: bool) -> list[Block]:
        state = self._state
        message = row.message or NO_MESSAGE
        time = from_iso(row.timestamp)
        if not time.micros:
            time = from_unix(message.timestamp)
        found = entry_parts(row, at)
        place = f"L{number}.{at}" if glued else f"L{number}"
        native = row.id or f"{place}@{self._generation}"
        old = state.branched and _born(time, message) < state.started
        self._lineage(native, old)
        if not found:
            self._skip(row)
            return []
        if row.id is not None:
            identity = f"{row.id}@{row.timestamp or time.micros}"
            parent = state.skipped.get(row.parent_id or "", row.parent_id or "")
        else:
            base = state.parent if old and state.parent else state.session or self._head.host_session
            identity = _listed_identity(base, row, message, place)
            parent = state.last
        state.last = native[:ID_CHARACTERS]
        return [self._block(item, message, native, identity, time, parent) for item in found]

    def _block(
        self,
        found: Found,
        message: Message,
        native: str,
        identity: str,
        time: HostTime,
        parent: str,
    ) -> Block:
        index, part = found
        flags = part.flags
        if part.kind == "tool-call" and flags & ECHO:
            _remember(self._state.calls, part.call, "", CALLS)
        elif part.kind == "tool-result" and self._state.calls.pop(part.call, None) is not None:
            flags |= ECHO
        return Block(
            native if index < 0 else f"{native}#{index}",
            f"{identity}#{max(index, 0)}",
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
            message.response_id or "",
            message.model or "",
            self._state.session,
        )

    def _lineage(self, native: str, old: bool) -> None:
        """Tell where a fork left its parent: behind the last entry that is older than the fork."""
        state = self._state
        if old:
            state.copied = native[:ID_CHARACTERS]
        elif state.copied:
            self._tell(
                SessionNews(state.session, parent=state.parent, relation="fork", fork_native=state.copied)
            )
            state.copied = ""

    def _skip(self, row: Row) -> None:
        if row.id is not None:
            parent = row.parent_id or ""
            skipped = self._state.skipped
            _remember(skipped, row.id, skipped.get(parent, parent)[:ID_CHARACTERS], SKIPPED)

    def _tell(self, news: SessionNews) -> None:
        if len(self._state.news) < NEWS:
            self._state.news.append(news)


def _born(time: HostTime, message: Message) -> int:
    """Return when an entry was first written: a copy may have a newer time than its message."""
    inner = from_unix(message.timestamp).micros
    return min(time.micros, inner) if inner else time.micros


def _listed_identity(base: str, row: Row, message: Message, place: str) -> str:
    """Return what names a row without an id: its session, its times, and what it is."""
    inner = "" if message.timestamp is None else f"{message.timestamp:.0f}"
    if not (row.timestamp or inner):
        return f"{base}:{place}"
    role = message.role or row.type or ""
    # A fork may stamp the rows that it copies anew; the message's own time stays.
    return f"{base}:{inner or row.timestamp}:{role}:{message.tool_call_id or ''}"


def _remember(memory: dict[str, str], key: str, value: str, most: int) -> None:
    if len(key) > ID_CHARACTERS:
        return
    memory[key] = value
    if len(memory) > most:
        del memory[next(iter(memory))]
