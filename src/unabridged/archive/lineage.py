"""The branch of a session that its newest message stands on."""

from __future__ import annotations

from unabridged.schema.ids import Ordinal
from unabridged.schema.records import EVENT, PATH, SIDE, Event, Session
from unabridged.store.contract import Reader

PAGE = 1_000  # steps read at once
MAX_STEPS = 200_000  # of one session that are looked at; older ones count as on the branch


def current_branch(reader: Reader, session: Session) -> frozenset[Ordinal]:
    """Return the events on the way from the session's root to its newest message, by the host's own parent ids.

    Events of hosts that record no parents are all on the branch.
    """
    rows = dict[str, list[Event]]()  # id of a row → its blocks
    leaf = ""
    for event in _events(reader, session):
        name = event.native.split("#", 1)[0].split("~", 1)[0]
        rows.setdefault(name, []).append(event)
        if not event.flags & SIDE:
            leaf = name
    parents = {name: blocks[0].parent.split("#", 1)[0] for name, blocks in rows.items()}
    if not any(parents.values()):
        return frozenset(event.ordinal for blocks in rows.values() for event in blocks)
    found, seen = list[Ordinal](), set[str]()
    while leaf and leaf not in seen:
        seen.add(leaf)
        found.extend(event.ordinal for event in rows.get(leaf, ()))
        leaf = parents.get(leaf, "")
    return frozenset(found)


def _events(reader: Reader, session: Session) -> list[Event]:
    start = max(1, session.next_seq - MAX_STEPS)
    found = list[Event]()
    while True:
        page = reader.scan(PATH, (session.project, session.session), start=(start,), limit=PAGE)
        events = reader.get_many(EVENT, [(session.project, path.event) for path in page])
        found.extend(event for event in events if event is not None)
        if len(page) < PAGE:
            return found
        start = page[-1].seq + 1
