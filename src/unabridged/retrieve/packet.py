"""Fills a packet: as much of what is wanted as a budget takes, in the order of time, and what takes what back in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.errors import Cancelled
from unabridged.retrieve import conflicts as conflicting
from unabridged.retrieve import places
from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.context import Context
from unabridged.retrieve.cutting import centre
from unabridged.retrieve.evidence import (
    HEAD_TOKENS,
    LEAST_TOKENS,
    Evidence,
    Piece,
    Readable,
    chronological,
    give,
    read,
)
from unabridged.retrieve.replaced import corrections
from unabridged.retrieve.said import is_said
from unabridged.retrieve.sharing import fitting

# Of a text that is cut; fewer than in most scripts: what matters most shall stand inside for certain.
BYTES_A_TOKEN = 2


@dataclass(frozen=True, slots=True)
class Filled:
    """What is given, what of it takes something back, how many pieces were left and could not be read."""

    evidence: list[Evidence]
    conflicts: list[conflicting.Conflict]
    left: int
    unreadable: int


def fill(
    context: Context, finder: Finder, search: Search, wanted: Sequence[Piece], most: int, max_tokens: int
) -> Filled:
    """Return at most `most` of the pieces, what matters first, within a budget."""
    readable, unreadable = list[Readable](), 0
    for piece in wanted:
        if len(readable) == most:
            break
        item = read(context, piece)
        if item is None:
            unreadable += 1
        else:
            readable.append(item)
    weights = [item.piece.weight for item in readable]
    least = HEAD_TOKENS + LEAST_TOKENS
    shares = fitting([item.need for item in readable], weights, max_tokens, least)

    def middle(piece: Piece, text: str, room: int) -> int:
        spans = finder.spans(search, text)[0] if piece.found is not None else []
        return centre(text, spans, BYTES_A_TOKEN * room)

    given = list[Evidence]()
    for item, budget in zip(readable, shares, strict=False):
        if context.cancelled():
            raise Cancelled
        made = give(context, item, budget, middle)
        if made is not None:
            given.append(made)
    given = chronological(context, given)
    found = conflicting.joined(
        _corrected(context, given), conflicting.conflicts([_said(context, item) for item in given])
    )
    return Filled(given, found, len(wanted) - unreadable - len(given), unreadable)


def _corrected(context: Context, given: Sequence[Evidence]) -> list[conflicting.Conflict]:
    """Return which of the pieces were corrected by another one of them."""
    at = {(item.event.project, item.event.ordinal): number for number, item in enumerate(given)}
    pairs = corrections(context.reader, [item.event for item in given])
    return [
        conflicting.Conflict(at[old], at[new], "correction", "", "", 0, 0) for old, new in pairs if new in at
    ]


def _said(context: Context, item: Evidence) -> conflicting.Said:
    event, subject = item.event, ""
    if event.host == NOTE_HOST:
        document = places.document_of(context.reader, event)
        subject = document.subject_key if document is not None else ""
    return conflicting.Said(item.text, is_said(event), subject)
