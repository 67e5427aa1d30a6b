"""Pieces of exact text with where they stand, put into the order of their times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from unabridged.errors import InvalidInput, LimitExceeded, UnabridgedError
from unabridged.retrieve import places
from unabridged.retrieve.asked import Found
from unabridged.retrieve.context import Context
from unabridged.retrieve.cutting import cost, cut
from unabridged.schema.ids import SessionId
from unabridged.schema.records import Event

HEAD_TOKENS = 96  # that a piece costs beside its text: its handle, time, speaker
LEAST_TOKENS = 24  # of a text that is cut; in fewer there is hardly a sentence
MIN_TOKENS = 150  # of a budget: one piece with its head
MAX_TOKENS = 100_000  # so that an answer stays below a frame
WINDOW = 3_600  # bytes of an event that are wanted at most
SLACK = 400  # bytes by which a whole event may be longer than a window
REDACTED_AGAIN = 3  # times that a piece is cut shorter because taking a secret out made it longer


@dataclass(slots=True)
class Piece:
    """A range of an event that is wanted, and how much it matters.

    rank: of its hit, from 1. distance: steps from the hit, below 0 before it.
    """

    event: Event
    start: int
    end: int
    weight: int
    rank: int = 0
    distance: int = 0
    found: Found | None = None


@dataclass(slots=True)
class Evidence:
    """A piece as it is given: the bytes `start` to `end` of its event's text, what they cost, what was cut off them."""

    piece: Piece
    start: int
    end: int
    text: str
    tokens: int
    cut: int = 0  # bytes of what was wanted that are not given
    terms: list[str] = field(default_factory=list[str])

    @property
    def event(self) -> Event:
        """Whose text it is."""
        return self.piece.event


@dataclass(slots=True)
class Readable:
    """A piece with its bytes, and what all of them would cost."""

    piece: Piece
    data: bytes
    need: int


def check_budget(max_tokens: int) -> None:
    """Raise `InvalidInput` or `LimitExceeded` for a budget that no packet can have."""
    if max_tokens < MIN_TOKENS:
        raise InvalidInput(
            "`max_tokens` is too small for any text",
            hint=f"Ask for {MIN_TOKENS} tokens or more.",
            field="max_tokens",
            value=max_tokens,
        )
    if max_tokens > MAX_TOKENS:
        raise LimitExceeded(
            "`max_tokens` is too large", field="max_tokens", limit=MAX_TOKENS, size=max_tokens
        )


def read(context: Context, piece: Piece) -> Readable | None:
    """Return a piece with its bytes; None where they cannot be read."""
    try:
        text = context.resolver.event_bytes(piece.event)
    except UnabridgedError:
        return None
    end = piece.end
    while piece.start < end < len(text) and text[end] & 0xC0 == 0x80:
        end -= 1
    data = text[piece.start : end]
    piece.end = piece.start + len(data)
    return Readable(piece, data, cost(data) + HEAD_TOKENS)


def give(
    context: Context, item: Readable, budget: int, centre: Callable[[Piece, str, int], int]
) -> Evidence | None:
    """Return as much of a piece as a budget takes; None where nothing of it fits.

    `centre` tells at which byte of the text it matters most, for so many tokens.
    """
    data, room = item.data, budget - HEAD_TOKENS
    at = centre(item.piece, data.decode(), room) if item.need > budget else 0
    for _ in range(REDACTED_AGAIN):
        start, end = cut(data, room, at)
        if start == end:
            return None
        text, _ = context.redact(data[start:end].decode())
        price = cost(text.encode())
        if price <= budget - HEAD_TOKENS:
            begin = item.piece.start
            return Evidence(item.piece, begin + start, begin + end, text, price, len(data) - (end - start))
        room -= price - room
    return None


def chronological(context: Context, given: Sequence[Evidence]) -> list[Evidence]:
    """Return pieces by time; those of one session always in its own order, whatever their clocks say."""
    when = _times(context, given)
    return sorted(given, key=lambda item: (when[_place(item)], *_place(item), item.start))


def _place(item: Evidence) -> tuple[SessionId, int]:
    return (item.event.session, item.event.seq)


def _times(context: Context, given: Sequence[Evidence]) -> Mapping[tuple[SessionId, int], int]:
    """Return when each piece was said: not before what stands before it in its session."""
    found, last = dict[tuple[SessionId, int], int](), dict[SessionId, int]()
    for item in sorted(given, key=_place):
        event = item.event
        if event.session not in last:
            session = places.session_of(context.reader, event)
            last[event.session] = 0 if event.time else int(session.started or session.created)
        last[event.session] = max(last[event.session], int(event.time))
        found[_place(item)] = last[event.session]
    return found
