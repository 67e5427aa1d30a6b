"""What is asked of the vectors and what they answer: plain values that the daemon and its worker exchange."""

from __future__ import annotations

import msgspec

from unabridged.schema.ids import ProjectId


class Where(msgspec.Struct, frozen=True, array_like=True):
    """What a span's event has to be; an empty list means any. Times are microseconds, `until` exclusive, 0 for none.

    It only leaves out what surely does not answer: whoever asks judges every span's event by the archive again.
    """

    projects: list[bytes] = []
    session: bytes = b""
    roles: list[str] = []
    kinds: list[str] = []
    hosts: list[str] = []
    tools: list[str] = []
    since: int = 0
    until: int = 0
    side: bool = True


class Near(msgspec.Struct, frozen=True, array_like=True):
    """The span of an event that is nearest to a question.

    `start` and `end` are byte offsets in the event's text; `cosine` is its likeness, -1 to 1; `lead` is how many
    standard deviations that is above the likeness of the text at large, which can be compared between models; `match`
    is how many its tokens stand above those of all that were compared, 0 where tokens are not known.
    """

    project: bytes
    ordinal: int
    start: int
    end: int
    cosine: float
    lead: float
    match: float = 0.0


class Nearest(msgspec.Struct, frozen=True, array_like=True):
    """The answer to one question: at most one span an event, the nearest first. `positions`: how far the table is.

    `beside` are spans of the events that were asked about by name and are not among the nearest.
    """

    spans: list[Near]
    positions: dict[ProjectId, int]
    rows: int
    beside: list[Near] = []
