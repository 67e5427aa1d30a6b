"""A store that refuses to be written."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

from unabridged.errors import ReadOnly
from unabridged.schema.ids import Micros, ProjectId
from unabridged.store.contract import Capabilities, Plan, Snapshot, Store, Usage


class ReadOnlyStore:
    """Another store without its writes: `submit`, `commit` and `compact` raise `ReadOnly`."""

    def __init__(self, store: Store) -> None:
        """Take over an open store."""
        self._store = store

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do."""
        return self._store.capabilities

    def snapshot(self, project: ProjectId | None = None) -> Snapshot:
        """Return the last published state."""
        return self._store.snapshot(project)

    def submit(self, project: ProjectId, plan: Plan) -> Future[Any]:
        """Raise `ReadOnly`."""
        del project, plan
        raise ReadOnly("the store was opened for reading")

    def commit(self, project: ProjectId, plan: Plan) -> Any:
        """Raise `ReadOnly`."""
        return self.submit(project, plan).result()

    def now(self) -> Micros:
        """Return the store's clock."""
        return self._store.now()

    def wait(self, project: ProjectId, after: int, timeout: float) -> bool:
        """Wait until the project's log goes beyond position `after`."""
        return self._store.wait(project, after, timeout)

    def backup(self, path: Path) -> None:
        """Write a consistent copy to an empty or absent folder."""
        self._store.backup(path)

    def compact(self) -> None:
        """Raise `ReadOnly`."""
        raise ReadOnly("the store was opened for reading")

    def usage(self) -> Usage:
        """Return what the store occupies."""
        return self._store.usage()

    def close(self) -> None:
        """Close the store."""
        self._store.close()
