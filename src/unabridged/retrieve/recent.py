"""What was admitted a moment ago, found before the index has it."""

from __future__ import annotations

import threading

from unabridged.index.analysis.plan import Plan
from unabridged.index.layout import LexicalFilter
from unabridged.index.making import documents
from unabridged.index.newest import in_order
from unabridged.index.searching import LexicalHit
from unabridged.index.state import State
from unabridged.index.status import is_indexed
from unabridged.index.tail import Tail, merged
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import Event

MAX_TEXT = 65_536  # bytes; longer documents are left to the index, which has them within a second


class Recent:
    """The uncommitted tail of the index. For any number of threads."""

    def __init__(self) -> None:
        """Begin empty."""
        self._tail = Tail()
        self._lock = threading.Lock()
        self._covered = dict[ProjectId, set[int]]()

    def add(self, event: Event, text: str, position: int) -> None:
        """Make an event that a log entry brought searchable at once, unless it is too long."""
        if event.size > MAX_TEXT or not is_indexed(event):
            return
        self._tail.add(documents(event, text), position)
        if not self._tail.overflowed:
            with self._lock:
                self._covered.setdefault(event.project, set()).add(position)

    def reached(self, project: ProjectId, position: int) -> int:
        """Return the log position up to which everything can be found, for an index that stands at `position`."""
        covered = self._covered.get(project)
        while covered and position + 1 in covered:
            position += 1
        return position

    def projects(self) -> list[ProjectId]:
        """Return the projects that it holds something of."""
        return list(self._covered)

    def drop_through(self, project: ProjectId, position: int) -> None:
        """Forget what the index has committed."""
        self._tail.drop_through(project, position)
        with self._lock:
            left = {at for at in self._covered.get(project, ()) if at > position}
            if left:
                self._covered[project] = left
            else:
                self._covered.pop(project, None)

    def join(
        self, hits: list[LexicalHit], plan: Plan, state: State, where: LexicalFilter, limit: int
    ) -> list[LexicalHit]:
        """Return an index's hits with what the tail holds, in one order."""
        if not len(self._tail):
            return hits
        return merged(hits, self._tail.search(plan, state, where, limit), limit)

    def join_newest(self, hits: list[LexicalHit], where: LexicalFilter, limit: int) -> list[LexicalHit]:
        """Return an index's newest hits with what the tail holds, in one order."""
        fresh = self._tail.newest(where)
        known = {hit.place for hit in hits}
        return in_order([*hits, *(hit for hit in fresh if hit.place not in known)], where)[:limit]
