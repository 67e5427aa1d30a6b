"""What a reader remembers between lines: the tree's gaps, the sessions in the file, its title.

All of it is bounded, since it is stored with every batch of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

import msgspec

from unabridged.hosts.claude_code.rows import Row
from unabridged.hosts.contract import Head, SessionNews

# Entries of each memory; the oldest goes first. Together well below the 64 KiB that a state may have.
SKIPPED = 256  # rows without content; a child stands nearly always right behind its parent
RECENT = 64  # uuids among which the leaf of a summary behind them is looked for
LEAVES = 64  # summaries in front of the rows that they are of
CALLS = 64  # open calls of this product
SIDES = 128  # rows of side conversations that name no agent
SESSIONS = 128  # other sessions in this file that have been announced
NEWS = 16  # announcements that wait, since a line has room for one
PACKED = 2_048  # packed ids that are remembered, since most of a state was in the one before it
TITLE_CHARACTERS = 200  # of a title that waits to be told
ID_CHARACTERS = 128  # a longer id is none of this host's, and is not remembered
SESSION_CHARACTERS = 2 * ID_CHARACTERS  # a session's id and an agent's

TITLE_SUMMARY, TITLE_MODEL, TITLE_USER = 1, 2, 3  # a title replaces those of the same or a lower rank

_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch
V = TypeVar("V")

Packed = bytes  # "u" and the 16 bytes of a UUID, or "=" and the UTF-8 of any other id


class State(msgspec.Struct, array_like=True):
    """A reader's memory in stored form."""

    skipped: list[tuple[Packed, Packed]] = []
    recent: list[Packed] = []
    leaves: list[tuple[Packed, str]] = []
    calls: list[str] = []
    sides: list[tuple[Packed, Packed]] = []
    sessions: list[str] = []
    news: list[SessionNews] = []
    title: str = ""
    title_rank: int = 0
    placed: bool = False
    fork_parent: str = ""
    fork: str = ""


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[State] = msgspec.msgpack.Decoder(State)


class Memory:
    """A reader's memory in use."""

    def __init__(self, head: Head, state: bytes) -> None:
        """Go on from `state`, or start with b""."""
        kept = _decoder.decode(state) if state else State()
        self.session = head.host_session
        self.main = head.host_session.partition("/")[0]
        self._skipped = _unpack_pairs(kept.skipped)
        self._recent = {_unpack(item): "" for item in kept.recent}
        self._leaves = {_unpack(leaf): title for leaf, title in kept.leaves}
        self._calls = dict.fromkeys(kept.calls, "")
        self._sides = _unpack_pairs(kept.sides)
        self._sessions = dict.fromkeys(kept.sessions, "")
        self._news = list(kept.news)
        self._title = kept.title
        self._title_rank = kept.title_rank
        self._placed = kept.placed or bool(head.cwd)
        self._fork_parent = kept.fork_parent
        self._fork = kept.fork

    def encode(self) -> bytes:
        """Return the stored form."""
        return _encoder.encode(
            State(
                _pack_pairs(self._skipped),
                [_pack(item) for item in self._recent],
                [(_pack(leaf), title) for leaf, title in self._leaves.items()],
                list(self._calls),
                _pack_pairs(self._sides),
                list(self._sessions),
                self._news,
                self._title,
                self._title_rank,
                self._placed,
                self._fork_parent,
                self._fork,
            )
        )

    def next_news(self) -> SessionNews | None:
        """Return the oldest announcement that waits."""
        return self._news.pop(0) if self._news else None

    # --- the tree -------------------------------------------------------------------------------------------------

    def parent_of(self, row: Row) -> str:
        """Return the uuid of the last row before this one, up the tree, that has content; "" for a root."""
        parent = row.logical_parent_uuid or row.parent_uuid or ""
        return self._skipped.get(parent, parent)

    def follow(self, row: Row, spoke: bool, session: str) -> None:
        """Take note of a row: whether it has content, and what it tells of sessions."""
        if row.uuid is None:
            return
        if not spoke:
            _remember(self._skipped, row.uuid, self.parent_of(row)[:ID_CHARACTERS], SKIPPED)
        if self._leaves and row.uuid in self._leaves:
            self._retitle(self._leaves.pop(row.uuid), TITLE_SUMMARY, "")
        _remember(self._recent, row.uuid, "", RECENT)
        if session:
            main = session.partition("/")[0]
            self.announce(session, row.cwd, main if main != session else "")
            return
        if row.cwd and not self._placed:
            self._placed = True
            self._tell(SessionNews(cwd=row.cwd))
        if row.forked_from is not None:
            self._fork_parent = (row.forked_from.session_id or "")[:ID_CHARACTERS]
            self._fork = (row.forked_from.message_uuid or "")[:ID_CHARACTERS]
        elif self._fork:
            self._tell(SessionNews(parent=self._fork_parent, relation="fork", fork_native=self._fork))
            self._fork = ""

    def open_call(self, call: str) -> None:
        """Take note of a call of this product, until its result comes."""
        _remember(self._calls, call, "", CALLS)

    def close_call(self, call: str) -> bool:
        """Tell whether a result belongs to a call of this product."""
        return bool(self._calls) and self._calls.pop(call, None) is not None

    # --- sessions -------------------------------------------------------------------------------------------------

    def session_of(self, row: Row) -> str:
        """Return the session that a row belongs to; "" for the reader's own."""
        main = row.session_id or self.main
        if not row.is_sidechain:
            session = main
        elif row.agent_id:
            session = f"{main}/agent-{row.agent_id}"
        else:
            # Older versions wrote side conversations into the main file, unnamed: the first row's uuid names one.
            parent = row.parent_uuid or ""
            root = self._sides.get(parent) or (row.uuid or parent)[:ID_CHARACTERS]
            if row.uuid:
                _remember(self._sides, row.uuid, root, SIDES)
            session = f"{main}/side-{root}"
        return "" if session == self.session else session

    def announce(self, session: str, cwd: str | None, parent: str) -> None:
        """Tell of another session in this file, once; with a parent it is that session's subagent."""
        if session == self.session or session in self._sessions:
            return
        _remember(self._sessions, session, "", SESSIONS)
        relation = "subagent" if parent else ""
        self._tell(SessionNews(session, cwd=cwd or "", parent=parent, relation=relation))

    def bookkeep(self, row: Row) -> None:
        """Read a row outside the tree: titles, and where a session goes on."""
        session = row.session_id or ""
        session = "" if session in (self.main, self.session) else session
        if row.type == "custom-title" and row.custom_title:
            self._retitle(row.custom_title, TITLE_USER, session)
        elif row.type == "ai-title" and row.ai_title:
            self._retitle(row.ai_title, TITLE_MODEL, session)
        elif row.type == "summary" and row.summary and row.leaf_uuid:
            # A summary may be of another session: it counts only when its leaf stands in this file.
            if row.leaf_uuid in self._recent:
                self._retitle(row.summary, TITLE_SUMMARY, "")
            else:
                _remember(self._leaves, row.leaf_uuid, row.summary[:TITLE_CHARACTERS], LEAVES)
        elif row.type == "continued-in" and row.continued_in_session_id:
            self._tell(SessionNews(row.continued_in_session_id, parent=self.main, relation="continuation"))

    def _retitle(self, title: str, rank: int, session: str) -> None:
        title = title[:TITLE_CHARACTERS]
        if session:
            self._tell(SessionNews(session, title=title))
        elif rank >= self._title_rank:
            self._title_rank = rank
            if title != self._title:  # the host repeats it with every turn
                self._title = title
                self._tell(SessionNews(title=title))

    def _tell(self, news: SessionNews) -> None:
        if len(self._news) < NEWS and len(news.host_session) <= SESSION_CHARACTERS:
            self._news.append(news)


@lru_cache(PACKED)
def _pack(name: str) -> Packed:
    if _UUID(name):
        return b"u" + bytes.fromhex(name.replace("-", ""))
    return b"=" + name.encode("utf-8")


def _unpack(packed: Packed) -> str:
    if packed.startswith(b"="):
        return packed[1:].decode("utf-8")
    text = packed[1:].hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _pack_pairs(pairs: dict[str, str]) -> list[tuple[Packed, Packed]]:
    return [(_pack(key), _pack(value)) for key, value in pairs.items()]


def _unpack_pairs(pairs: Iterable[tuple[Packed, Packed]]) -> dict[str, str]:
    return {_unpack(key): _unpack(value) for key, value in pairs}


def _remember(memory: dict[str, V], key: str, value: V, most: int) -> None:
    """Add an entry to a memory of at most `most` entries, in place of the oldest one."""
    if len(key) > ID_CHARACTERS:
        return
    memory[key] = value
    if len(memory) > most:
        del memory[next(iter(memory))]
