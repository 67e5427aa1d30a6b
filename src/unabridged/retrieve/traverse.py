"""Pages of a conversation before and behind one place, along its own line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

import msgspec

from unabridged.errors import Cancelled, InvalidCursor, InvalidInput, LimitExceeded
from unabridged.retrieve import evidence as pieces
from unabridged.retrieve import recall as recalling
from unabridged.retrieve import target
from unabridged.retrieve.chronology import Line, Step
from unabridged.retrieve.context import Context
from unabridged.retrieve.edge import AFTER, BEFORE, CHECK_BYTES, Edge, read, write
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.evidence import Evidence, Piece, Readable, check_budget
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.page import scoped
from unabridged.retrieve.sharing import fitting
from unabridged.retrieve.surroundings import has_text
from unabridged.schema.records import EVENT, Event

MAX_STEPS = 128  # of a page to one side
MAX_LOOK = 10_000  # steps looked at to one side for one page
ANCHOR_WEIGHT = 3  # of the place itself beside one of its neighbours


@dataclass(frozen=True, slots=True)
class Traverse:
    """A request: how many steps to each side, or on from a cursor; `filters`: which kinds and roles count."""

    target: str
    before: int = 5
    after: int = 5
    max_tokens: int = 4_000
    cursor: str = ""
    filters: Filters = field(default_factory=Filters)


@dataclass(slots=True)
class Traversed:
    """A page in order; `before` and `next`: cursors to what lies before and behind it, "" where nothing does."""

    status: str
    steps: list[Evidence] = field(default_factory=list[Evidence])
    before: str = ""
    next: str = ""
    anchor: Event | None = None
    account: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class _Side:
    """The steps of one side, the nearest first, and whether more follow."""

    steps: list[Step] = field(default_factory=list[Step])
    last: Step | None = None  # looked at, wanted or not
    more: bool = False


def traverse(context: Context, request: Traverse) -> Traversed:
    """Return a page, or the status that says why there is none.

    Raises `InvalidInput`, `LimitExceeded` or `InvalidCursor` for a bad request.
    """
    _validate(request)
    found = target.find(context, request.target)
    if found.place is None:
        return Traversed(found.status)
    event, document = found.event, recalling.document_at(context, found.place, found.event)
    gone = recalling.what_became(context.reader, event, document)
    if gone:
        return Traversed(gone)
    if event is None and document is not None:
        members = context.reader.get_many(EVENT, [(document.project, at) for at in document.members])
        event = next((member for member in members if member is not None and member.size), None)
    if event is None:
        return Traversed(recalling.MISSING)
    return _Page(context, request, event).made()


def _validate(request: Traverse) -> None:
    for name, value in (("before", request.before), ("after", request.after)):
        if value < 0:
            raise InvalidInput(f"`{name}` is negative", field=name, value=value)
        if value > MAX_STEPS:
            raise LimitExceeded(f"`{name}` is too large", field=name, limit=MAX_STEPS, value=value)
    check_budget(request.max_tokens)


class _Page:
    """One page around an anchor."""

    def __init__(self, context: Context, request: Traverse, anchor: Event) -> None:
        self._context = context
        self._request = request
        self._line = Line(context, anchor)
        self._eligible = Eligibility(context, request.filters, {})
        self._left_out = dict[str, int]()
        told = (anchor.project, anchor.id, sorted(request.filters.kinds), sorted(request.filters.roles))
        self._check = hashlib.sha256(msgspec.msgpack.encode(told)).digest()[:CHECK_BYTES]

    def made(self) -> Traversed:
        line, request = self._line, self._request
        page = Traversed(recalling.RESOLVED, anchor=line.anchor.event)
        if request.cursor:
            edge = read(request.cursor, self._check)
            at = line.at(edge.depth, edge.seq)
            if at is None:
                raise InvalidCursor("the cursor names a place that is gone", field="cursor")
            count = (request.before, request.after)[edge.side] or max(request.before, request.after)
            side = self._take(line.before(at) if edge.side == BEFORE else self._onward(at), count)
            kept = self._give(side.steps, page)
            there = self._further(edge.side, side, kept, at)
            back = self._cursor(1 - edge.side, side.steps[0] if kept else at)
            page.before, page.next = (there, back) if edge.side == BEFORE else (back, there)
        else:
            before, after = (
                self._take(line.before(), request.before),
                self._take(line.after(), request.after),
            )
            order = [line.anchor, *_in_turns(after.steps, before.steps)]
            kept = self._give(order, page)
            page.before = self._further(BEFORE, before, kept, line.anchor)
            page.next = self._further(AFTER, after, kept, line.anchor)
        page.account = {
            **scoped(self._context),
            "complete": True,
            "left_out": self._left_out,
            "tokens": sum(item.tokens + pieces.HEAD_TOKENS for item in page.steps),
            "max_tokens": request.max_tokens,
            "cut": sum(item.cut > 0 for item in page.steps),
        }
        return page

    def _onward(self, edge: Step) -> Iterator[Step]:
        """Return the steps of the line behind one of its steps."""
        line = self._line
        if edge.place >= line.anchor.place:
            return line.after(edge.seq)
        back = list[Step]()
        for step in line.before():
            if step.place <= edge.place:
                break
            back.append(step)
        return chain(reversed(back), [line.anchor], line.after())

    def _take(self, steps: Iterator[Step], count: int) -> _Side:
        side = _Side()
        for looked, step in enumerate(steps):
            if self._context.cancelled():
                raise Cancelled
            if len(side.steps) == count or looked == MAX_LOOK:
                side.more = True
                break
            side.last = step
            if self._wanted(step):
                side.steps.append(step)
        return side

    def _wanted(self, step: Step) -> bool:
        if not has_text(step):
            return False
        reason = self._eligible.reason(step.event)
        if reason and reason not in ("scope", "filters"):
            self._left_out[reason] = self._left_out.get(reason, 0) + 1
        return not reason

    def _give(self, order: Sequence[Step], page: Traversed) -> set[tuple[int, int]]:
        """Put as many first steps as a budget takes into a page, in order; return the places of all those it took."""
        readable, taken = list[tuple[Step, Readable]](), set[tuple[int, int]]()
        distances = {BEFORE: 0, AFTER: 0}
        for step in order:
            event = step.event
            end = event.size if event.size <= pieces.WINDOW + pieces.SLACK else pieces.WINDOW
            distance = self._distance(step, distances)
            weight = 1 if distance else ANCHOR_WEIGHT
            item = pieces.read(self._context, Piece(event, 0, end, weight, 1, distance))
            if item is None:
                self._left_out["unreadable"] = self._left_out.get("unreadable", 0) + 1
                taken.add(step.place)
            else:
                readable.append((step, item))
        least = pieces.HEAD_TOKENS + pieces.LEAST_TOKENS
        needs, weights = [item.need for _, item in readable], [item.piece.weight for _, item in readable]
        found = dict[tuple[int, int], Evidence]()
        shares = fitting(needs, weights, self._request.max_tokens, least)
        for (step, item), budget in zip(readable, shares, strict=False):
            taken.add(step.place)
            made = pieces.give(self._context, item, budget, _beginning)
            if made is not None:
                found[step.place] = made
        page.steps = [found[place] for place in sorted(found)]
        return taken

    def _distance(self, step: Step, distances: dict[int, int]) -> int:
        """Return how many steps of its side one is away; they come the nearest first."""
        anchor = self._line.anchor.place
        if step.place == anchor:
            return 0
        side = BEFORE if step.place < anchor else AFTER
        distances[side] += 1
        return distances[side] if side == AFTER else -distances[side]

    def _further(self, side: int, found: _Side, taken: set[tuple[int, int]], start: Step) -> str:
        """Return the cursor to what lies behind a side's last step on the page."""
        kept = [step for step in found.steps if step.place in taken]
        if len(kept) < len(found.steps):  # the budget ended before the side did
            return self._cursor(side, kept[-1] if kept else start)
        return self._cursor(side, found.last or start) if found.more else ""

    def _cursor(self, side: int, step: Step) -> str:
        return write(Edge(self._check, side, step.depth, step.seq))


def _beginning(_: Piece, __: str, ___: int) -> int:
    return 0


def _in_turns(one: Sequence[Step], other: Sequence[Step]) -> list[Step]:
    """Return the steps of both sides by their distance."""
    pairs = zip_longest(one, other)
    return [step for pair in pairs for step in pair if step is not None]
