"""Which sessions a session goes on from, and what of them stands in its live conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unabridged.archive.sessions import session_of
from unabridged.schema.ids import Micros, Ordinal, SessionId
from unabridged.schema.records import EVENT, PATH, SUMMARY, Event, Session
from unabridged.store.contract import Reader

GENERATIONS = 64  # ancestors of a session that are followed
LOOKED_BACK = 600  # steps in which a compaction is looked for: about what a model's window holds
PAGE = 200  # steps read at once
START = Micros(0)
CONTINUES = ("fork", "continuation")  # relations in which a session begins with what its parent holds


@dataclass(frozen=True, slots=True)
class Lineage:
    """A session's ancestors, the nearest first; `session` is None for one that is not archived yet."""

    name: SessionId
    session: Session | None
    ancestors: tuple[Session, ...]

    @property
    def names(self) -> tuple[SessionId, ...]:
        """The session and its ancestors."""
        return (self.name, *(item.session for item in self.ancestors))


def lineage_of(reader: Reader, name: SessionId) -> Lineage:
    """Return a session with the sessions that it goes on from, as the hosts' own files tell them."""
    session = session_of(reader, name)
    found, seen, at = list[Session](), {name}, session
    while at is not None and at.parent and at.relation in CONTINUES and len(found) < GENERATIONS:
        parent = SessionId(at.parent)
        at = None if parent in seen else session_of(reader, parent)
        if at is not None:
            seen.add(parent)
            found.append(at)
    return Lineage(name, session, tuple(found))


@dataclass(frozen=True, slots=True)
class Left:
    """What a window leaves out of a prompt: all before a place in a session (`begins`), and single events.

    time: of the first event that is not left out (0: nothing is cut).
    """

    begins: Mapping[SessionId, int]
    events: frozenset[Ordinal]
    time: Micros = START

    def out(self, event: Event) -> bool:
        """Tell whether an event of the conversation is left out."""
        return event.ordinal in self.events or event.seq < self.begins.get(event.session, 0)


NOTHING_LEFT = Left({}, frozenset())


class Visible:
    """What stands in a live conversation: the keys that are given, else all behind the last compaction.

    What a window leaves out of either does not.
    """

    def __init__(
        self, reader: Reader, lineage: Lineage, keys: frozenset[str] | None, left: Left = NOTHING_LEFT
    ) -> None:
        """Judge by `keys`, the source keys that the caller says are visible; None: it does not say."""
        self._reader = reader
        self._lineage = lineage
        self.keys = keys
        self.left = left
        self._from = dict[SessionId, int]()

    def holds(self, event: Event) -> bool:
        """Tell whether an event is visible, as far as its session says; keys are judged where source keys are known."""
        if self.keys is not None or event.session not in self._lineage.names:
            return False
        if self.left.out(event) or (event.session != self._lineage.name and self._came_later(event)):
            return False
        begins = self._from.get(event.session)
        if begins is None:
            begins = self._from[event.session] = _compacted(self._reader, event)
        return event.seq >= begins

    def _came_later(self, event: Event) -> bool:
        """Tell whether an ancestor's event came after the session had left it."""
        session = self._lineage.session
        return session is not None and bool(session.started) and event.time > session.started


def _compacts(event: Event) -> bool:
    return event.kind == "compaction" or bool(event.flags & SUMMARY)


def _compacted(reader: Reader, event: Event) -> int:
    """Return the place in an event's session behind which everything is still visible."""
    session = session_of(reader, event.session)
    if session is None:
        return 0
    stop, left = session.next_seq, LOOKED_BACK
    while left > 0 and stop > 1:
        steps = reader.scan(
            PATH, (session.project, session.session), stop=(stop,), reverse=True, limit=min(PAGE, left)
        )
        events = reader.get_many(EVENT, [(session.project, step.event) for step in steps])
        for step, held in zip(steps, events, strict=True):
            if held is not None and _compacts(held):
                return step.seq
        if not steps:
            return 0
        stop, left = steps[-1].seq, left - len(steps)
    return stop if stop > 1 else 0


def since_compaction(reader: Reader, lineage: Lineage) -> Micros:
    """Return when a session was last compacted, as far as it is looked for; 0 where it never was."""
    session = lineage.session
    if session is None:
        return Micros(0)
    steps = reader.scan(PATH, (session.project, session.session), reverse=True, limit=LOOKED_BACK)
    events: Sequence[Event | None] = reader.get_many(EVENT, [(session.project, step.event) for step in steps])
    return next(
        (held.time for held in events if held is not None and _compacts(held)),
        Micros(0),
    )
