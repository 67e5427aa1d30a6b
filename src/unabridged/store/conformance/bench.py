"""What a check works with: a store that it can close and open again, and ways to say what must hold."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from unabridged.errors import UnabridgedError
from unabridged.schema.ids import ProjectId, project_id
from unabridged.schema.kinds import Kind
from unabridged.schema.records import COUNTERS, LOG, Counters, LogEntry
from unabridged.store.contract import Batch, Reader, Store

SECONDS = 60.0  # how long a check waits for a future that must resolve; far above what any engine needs
PROJECT_A: ProjectId = project_id("/conformance/a")
PROJECT_B: ProjectId = project_id("/conformance/b")


class Bench:
    """One store under test. `open_store` opens the same one each time (making it first); `folder` is scratch space."""

    def __init__(
        self,
        open_store: Callable[[], Store],
        folder: Path,
        open_copy: Callable[[Path], Store] | None = None,
    ) -> None:
        """Take the ways to open the store, and a backup of it that `Store.backup` made."""
        self.open_store = open_store
        self.open_copy = open_copy
        self.folder = folder
        self._store: Store | None = None

    @property
    def store(self) -> Store:
        """The open store."""
        if self._store is None:
            self._store = self.open_store()
        return self._store

    def reopen(self) -> Store:
        """Close the store, then open it again."""
        self.close()
        return self.store

    def close(self) -> None:
        """Close the store where it is open."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    # --- short forms ---------------------------------------------------------------------------------------------

    def commit(
        self, *ops: tuple[str, Kind[Any], Any], project: ProjectId = PROJECT_A, result: Any = None
    ) -> Any:
        """Commit operations as they stand."""
        return self.store.commit(project, lambda _: Batch(list(ops), result))

    def submit(self, *ops: tuple[str, Kind[Any], Any], project: ProjectId = PROJECT_A) -> Future[Any]:
        """Submit operations as they stand."""
        return self.store.submit(project, lambda _: Batch(list(ops)))

    def get(self, kind: Kind[Any], *key: Any) -> Any:
        """Return a record of the published state."""
        with self.store.snapshot() as snapshot:
            return snapshot.get(kind, key)

    def scan(self, kind: Kind[Any], *prefix: Any, **bounds: Any) -> list[Any]:
        """Return a scan of the published state."""
        with self.store.snapshot() as snapshot:
            return snapshot.scan(kind, prefix, **bounds)

    def count(self, kind: Kind[Any], *prefix: Any, index: str = "") -> int:
        """Return a count of the published state."""
        with self.store.snapshot() as snapshot:
            return snapshot.count(kind, prefix, index=index)


def appending(project: ProjectId, label: str = "append") -> Callable[[Reader], Batch]:
    """Return a plan that takes the project's next log position, and writes one entry there; it returns the position."""

    def plan(reader: Reader) -> Batch:
        counters = reader.get(COUNTERS, (project,)) or Counters(project)
        batch = Batch(result=counters.next_position)
        batch.put(COUNTERS, Counters(project, counters.next_ordinal, counters.next_position + 1))
        batch.create(LOG, log_entry(project, counters.next_position, label))
        return batch

    return plan


def log_entry(project: ProjectId, position: int, label: str = "append") -> LogEntry:
    """Return a log entry at a position."""
    return LogEntry(project, position, label, b"", 0, 0, 0)  # type: ignore[arg-type]


def same(found: Any, wanted: Any, what: str = "") -> None:
    """Raise `AssertionError` unless both are equal."""
    if found != wanted:
        raise AssertionError(f"{what + ': ' if what else ''}found {_short(found)}, wanted {_short(wanted)}")


def holds(condition: object, what: str) -> None:
    """Raise `AssertionError`, saying what must hold, unless it does."""
    if not condition:
        raise AssertionError(what)


def raises(kind: type[UnabridgedError], action: Callable[[], object]) -> UnabridgedError:
    """Return the error of a class that an action must raise."""
    try:
        found = action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised; the call returned {_short(found)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 500 else f"{text[:500]}… ({len(text)} characters)"
