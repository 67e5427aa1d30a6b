"""Where turns begin and end.

A turn runs from a person's message to the next, or to the host's stop signal, or to the end of a session that has been
idle; what comes before the first is the preamble. Its document lists at most 256 events, so longer turns are split. The
builder sees a transcript in file order and keeps its open turns in `state()`, so that reading in slices gives the same
documents as reading at once.
"""

from __future__ import annotations

import hashlib

import msgspec

from unabridged.hosts.injected import typed
from unabridged.schema.ids import Digest, EventId, Micros
from unabridged.schema.records import HUMAN

MAX_MEMBERS = 256  # events a document; also the most source keys that one hit can name
MAX_OPEN = 32  # sessions of one file with an open turn; past it the one least recently grown is closed
MAX_DOCUMENT = 8 << 20  # bytes of text a document; the turn is split before it would be exceeded
TITLE_CHARS = 120

PREAMBLE, TURN = "preamble", "turn"
JOIN_BYTES = 2


class OpenTurn(msgspec.Struct, array_like=True):
    """A turn that may still grow."""

    kind: str
    members: list[EventId] = []
    size: int = 0
    tokens: int = 0
    started: int = 0
    ended: int = 0
    title: str = ""
    sizes: list[int] = []
    answered: bool = False  # holds something that no person typed; the next person's message opens a new turn


class Turn(msgspec.Struct, frozen=True, array_like=True):
    """A closed turn: what its document is made from. `session` is the host's id ("" for the file's own session)."""

    session: str
    kind: str
    members: list[EventId]
    digest: Digest
    size: int
    tokens: int
    started: Micros
    ended: Micros
    title: str
    sizes: list[int]


class Turns:
    """Builds turns from events in file order."""

    def __init__(self, state: bytes = b"") -> None:
        """Go on from `state()`, or begin."""
        self._open: dict[str, OpenTurn] = (
            msgspec.msgpack.decode(state, type=dict[str, OpenTurn]) if state else dict[str, OpenTurn]()
        )

    def state(self) -> bytes:
        """Return the open turns, b"" when there is none."""
        return msgspec.msgpack.encode(self._open) if self._open else b""

    def titles(self) -> dict[str, str]:
        """Return what open turns were asked, by session."""
        return {session: turn.title for session, turn in self._open.items() if turn.title}

    def add(
        self, session: str, event: EventId, flags: int, size: int, tokens: int, time: int, text: bytes
    ) -> list[Turn]:
        """Add the next event of a session; return the turns that this closes."""
        closed = list[Turn]()
        turn = self._open.pop(session, None)
        if turn is not None and flags & HUMAN and turn.answered:
            closed.append(_close(session, turn))
            turn = None
        if turn is not None and (
            len(turn.members) >= MAX_MEMBERS or turn.size + size + JOIN_BYTES > MAX_DOCUMENT
        ):
            closed.append(_close(session, turn))
            turn = OpenTurn(turn.kind, title=turn.title, answered=turn.answered)
        if turn is None:
            turn = OpenTurn(TURN if flags & HUMAN else PREAMBLE)
        if flags & HUMAN and not turn.members:
            turn.kind, turn.title = TURN, _title(text)
        turn.size += size + (JOIN_BYTES if size and turn.size else 0)
        turn.members.append(event)
        turn.sizes.append(size)
        turn.answered = turn.answered or not flags & HUMAN
        turn.tokens += tokens
        if time:
            turn.started = min(turn.started or time, time)
            turn.ended = max(turn.ended, time)
        self._open[session] = turn
        if len(self._open) > MAX_OPEN:
            closed.extend(self.close(next(iter(self._open))))
        return closed

    def close(self, session: str) -> list[Turn]:
        """Close a session's open turn."""
        turn = self._open.pop(session, None)
        return [_close(session, turn)] if turn is not None and turn.members else []

    def close_all(self) -> list[Turn]:
        """Close every open turn."""
        return [turn for session in list(self._open) for turn in self.close(session)]


def _title(text: bytes) -> str:
    prompt = typed(text[: TITLE_CHARS * 4].decode("utf-8", "ignore"))
    return prompt.strip().split("\n", 1)[0][:TITLE_CHARS]


def _close(session: str, turn: OpenTurn) -> Turn:
    return Turn(
        session,
        turn.kind,
        turn.members,
        manifest_digest(turn.kind, turn.members),
        turn.size,
        turn.tokens,
        Micros(turn.started),
        Micros(turn.ended),
        turn.title,
        turn.sizes,
    )


def manifest_digest(kind: str, members: list[EventId]) -> Digest:
    """Return the digest of a document: its kind and its members' ids, which hold their content digests."""
    return Digest(hashlib.sha256(kind.encode() + b"\0" + b"".join(members)).digest())
