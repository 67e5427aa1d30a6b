"""What stands before and behind an event in its conversation, along one verified line.

A session's path is the order of its transcript. Where a person went back and asked anew, branches stand in it one
behind the other; two events are on one line when one follows from the other by the host's own parent ids. An event that
names no predecessor, or one that is not archived, follows what stands before it in the path. A session that was forked
off another goes on backwards in that one, at the place that its host names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from unabridged.archive.sessions import session_of
from unabridged.retrieve import places
from unabridged.retrieve.context import Context
from unabridged.schema.ids import SessionId, source_hash
from unabridged.schema.records import EVENT, PATH, SIDE, Event, Path, Session

FIRST, PAGE = 8, 64  # steps read at once: at first, and at most
MAX_DEPTH = 64  # sessions that a line goes back through
BLOCKS = ("", "#0", "#1", "#2", "#3")  # under which a row's first block may stand in the path


@dataclass(frozen=True, slots=True)
class Step:
    """One event at its place in a session's path; `depth`: how many forks before the session that one began in."""

    session: Session
    seq: int
    event: Event
    depth: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """What orders the steps of a line: those of earlier sessions first."""
        return (-self.depth, self.seq)

    @property
    def row(self) -> str:
        """The name of the host's row that holds the event."""
        return row_of(self.event.native)

    @property
    def side(self) -> bool:
        """Whether it belongs to a side conversation."""
        return bool(self.event.flags & SIDE)


def row_of(native: str) -> str:
    """Return the name of a row from that of one of its blocks."""
    return native.split("#", 1)[0].split("~", 1)[0]


class Line:
    """The line that an event stands on. Reads lazily, each step once; not for use by several threads."""

    def __init__(self, context: Context, event: Event) -> None:
        """Begin at an event, in the session that it was first admitted in."""
        self._context = context
        session = places.session_of(context.reader, event)
        self.anchor = Step(session, event.seq, event)
        self._known = dict[tuple[int, int], Step]()  # by place
        self._behind = dict[tuple[int, int], Step | None]()  # place → the step before it in the path
        self._rows = dict[tuple[int, str], Step | None]()  # depth, row → its first block
        self._back = FIRST  # steps that are read at once the next time
        self._follows: dict[tuple[int, int], bool] = {self.anchor.place: True}

    def at(self, depth: int, seq: int) -> Step | None:
        """Return a step of the anchor's session, or of one that it was forked off; None where there is none."""
        session: Session | None = self.anchor.session
        for _ in range(min(depth, MAX_DEPTH)):
            session = self._parent(session) if session is not None else None
        if session is None:
            return None
        path = self._context.reader.get(PATH, (session.project, session.session, seq))
        found = self._steps(session, depth, [path]) if path is not None else []
        return found[0] if found else None

    def before(self, step: Step | None = None) -> Iterator[Step]:
        """Yield the steps before one (by default the anchor), the nearest first."""
        at = self._predecessor(step or self.anchor)
        while at is not None:
            yield at
            at = self._predecessor(at)

    def after(self, seq: int = 0) -> Iterator[Step]:
        """Yield the steps behind the anchor that follow from it, in order; `seq`: only those behind that place."""
        anchor = self.anchor
        last = anchor if seq <= anchor.seq else self.at(0, seq)
        start, count = max(seq, anchor.seq) + 1, FIRST
        while page := self._page(anchor.session, 0, count, start=start):
            for step in page:
                if last is not None:
                    self._behind.setdefault(step.place, last)
                last = step
            for step in page:
                if step.side == anchor.side and self._follows_anchor(step):
                    yield step
            start, count = page[-1].seq + 1, min(PAGE, 2 * count)

    def _follows_anchor(self, step: Step) -> bool:
        passed, at, found = list[Step](), step, False
        while True:
            known = self._follows.get(at.place)
            if known is not None or at.place < self.anchor.place:
                found = bool(known)
                break
            passed.append(at)
            before = self._predecessor(at)
            if before is None:
                break
            at = before
        for item in passed:
            self._follows[item.place] = found
        return found

    def _predecessor(self, step: Step) -> Step | None:
        previous = self._previous(step)
        if previous is None:
            return self._origin(step)
        parent = row_of(step.event.parent)
        if previous.row in (step.row, parent):
            return previous
        named = self._last_block(step.session, step.depth, parent, step.seq) if parent else None
        if named is not None:
            return named
        while previous is not None and previous.side != step.side:
            previous = self._previous(previous)
        return previous

    def _previous(self, step: Step) -> Step | None:
        """Return the step before one in its session's path."""
        if step.place not in self._behind:
            page = self._page(step.session, step.depth, self._back, stop=step.seq)
            self._back = min(PAGE, 2 * self._back)
            for later, earlier in zip([step, *page], page, strict=False):
                self._behind[later.place] = earlier
            if not page:
                self._behind[step.place] = None
        return self._behind[step.place]

    def _page(self, session: Session, depth: int, count: int, *, start: int = 0, stop: int = 0) -> list[Step]:
        """Return the next steps from `start` on, or the last ones before `stop`, the nearest first."""
        reader, key = self._context.reader, (session.project, session.session)
        while True:
            if stop:
                paths = reader.scan(PATH, key, stop=(stop,), reverse=True, limit=count)
            else:
                paths = reader.scan(PATH, key, start=(start,), limit=count)
            found = self._steps(session, depth, paths)
            if found or len(paths) < count:
                return found
            start, stop = (0, paths[-1].seq) if stop else (paths[-1].seq + 1, 0)

    def _steps(self, session: Session, depth: int, paths: list[Path]) -> list[Step]:
        events = self._context.reader.get_many(EVENT, [(session.project, path.event) for path in paths])
        found = list[Step]()
        for path, event in zip(paths, events, strict=True):
            if event is not None:
                place = (-depth, path.seq)
                found.append(self._known.setdefault(place, Step(session, path.seq, event, depth)))
        return found

    def _last_block(self, session: Session, depth: int, row: str, seq: int = 0) -> Step | None:
        """Return the last block of a row (before a step, if given); None for a row that is not archived there."""
        key = (depth, row)
        if key not in self._rows:
            self._rows[key] = self._lookup(session, depth, row)
        last = self._rows[key]
        if last is None or (seq and last.seq >= seq):
            return None
        for block in self._page(session, depth, FIRST, start=last.seq):
            if block.row != row or (seq and block.seq >= seq):
                break
            last = block
        return last

    def _lookup(self, session: Session, depth: int, row: str) -> Step | None:
        reader = self._context.reader
        begin = f"{session.host}:{session.host_session}:{row}"
        keys = [(session.project, source_hash(begin + block)) for block in BLOCKS]
        for place in reader.lookup(PATH, "source", keys):
            path = reader.get(PATH, place) if place is not None else None
            if path is not None and path.session == session.session:
                found = self._steps(session, depth, [path])
                return found[0] if found else None
        return None

    def _origin(self, step: Step) -> Step | None:
        """Return where a session was forked off another, None where nothing vouches for a place there."""
        parent = self._parent(step.session)
        if parent is None or step.depth >= MAX_DEPTH:
            return None
        return self._last_block(parent, step.depth + 1, row_of(step.session.fork_native))

    def _parent(self, session: Session) -> Session | None:
        """Return the session that one was forked off at a known place, if the caller may see it."""
        if not (session.parent and session.fork_native):
            return None
        parent = session_of(self._context.reader, SessionId(session.parent))
        if parent is None or not self._context.scope.allows(parent.project, parent.session):
            return None
        return parent
