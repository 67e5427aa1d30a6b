"""A hit with its neighbours: which of them a caller may see, and how much each matters."""

from __future__ import annotations

import math

from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.retrieve import places
from unabridged.retrieve.asked import Found, Search
from unabridged.retrieve.chronology import Line, Step
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.evidence import SLACK, WINDOW, Piece
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.given import Given, Place
from unabridged.retrieve.surroundings import Reach, surroundings
from unabridged.schema.records import EVENT, Event

WEIGHT = 1_000  # of the best hit; the k-th counts as much as in a discounted gain (Järvelin, Kekäläinen 2002)


class Around:
    """Neighbourhoods for one question."""

    def __init__(self, context: Context, search: Search, given: Given) -> None:
        """Look at what is inside the time, branch and scope of a question, and was there when its first packet was."""
        self._context = context
        asked = search.filters
        # What kind, role, tool or path a hit must have says nothing of what stands around it.
        around = Filters(since=asked.since, until=asked.until, branch=asked.branch, side=asked.side)
        self._exclude = asked.exclude
        self._eligible = Eligibility(context, around, {bytes(at): head for at, head in given.heads.items()})
        self.texts = self._given_texts(given)  # digest → whose text it was that was given before
        self.left_out = dict[str, int]()

    def of(self, hit: Found, reach: Reach, rank: int) -> list[Piece]:
        """Return a hit and its neighbours, each as the range that is wanted of it."""
        event, weight = hit.event, round(WEIGHT / math.log2(rank + 1))
        start, end = (0, event.size) if event.size <= WINDOW + SLACK else (hit.start, hit.end)
        found = [Piece(event, start, end, weight, rank, 0, hit)]
        if event.host == NOTE_HOST:  # notes stand one behind the other without being a conversation
            return found
        for step, distance in surroundings(Line(self._context, event), reach, self._keep):
            size = step.event.size if step.event.size <= WINDOW + SLACK else WINDOW
            found.append(Piece(step.event, 0, size, weight // (1 + abs(distance)), rank, distance))
        return found

    def _keep(self, step: Step) -> bool:
        reason = self._eligible.reason(step.event) or self._seen(step.event)
        if reason and reason != "scope":
            self.left_out[reason] = self.left_out.get(reason, 0) + 1
        return not reason

    def _seen(self, event: Event) -> str:
        if self._exclude and places.is_named(self._context.reader, event, self._exclude):
            return "visible"
        return ""

    def _given_texts(self, given: Given) -> dict[bytes, Place]:
        events = self._context.reader.get_many(EVENT, list(given.ranges))
        return {event.digest: (event.project, event.ordinal) for event in events if event is not None}
