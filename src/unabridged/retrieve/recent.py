"""What was admitted a moment ago, found before the index has it."""

from __future__ import annotations

import threading

from unabridged.index.making import documents
from unabridged.index.status import is_indexed
from unabridged.index.tail import Held, Tail
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

    def held(self) -> Held:
        """Return what it holds now; taken before the index is looked at, nothing falls between the two."""
        return self._tail.held()


class Fresh:
    """What one opening of the index lacks of what was admitted."""

    def __init__(self, recent: Recent) -> None:
        """Lack what `recent` holds."""
        self._recent = recent
        self._kept: Held | None = None

    def keep(self) -> None:
        """Hold for good what there is: a newer opening has it, and it is about to be dropped."""
        self._kept = self._recent.held()

    def held(self) -> Held:
        """Return it; to be taken before the index is looked at."""
        fresh = self._recent.held()
        return self._kept or fresh  # in this order: what is dropped after `fresh` was taken, it has
