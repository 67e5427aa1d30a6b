"""A store that passes every call on: what the wrappers change from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.keys import KeyPart
from unabridged.schema.kinds import Kind
from unabridged.store.contract import DEFAULT_SCAN, Capabilities, Plan, Reader, Snapshot, Store, Usage

R = TypeVar("R", bound=msgspec.Struct)
T = TypeVar("T")


class ForwardingReader:
    """A reader whose calls all go through `_read`, to the reader it wraps."""

    def __init__(self, reader: Reader) -> None:
        """Wrap a reader."""
        self._reader = reader

    def _read(self, kind: Kind[Any], action: Callable[[], T]) -> T:
        """Carry one read out. `kind` is what it reads; the result may hold records of it."""
        del kind
        return action()

    def get(self, kind: Kind[R], key: tuple[KeyPart, ...]) -> R | None:
        """Return the record at a whole key, or None."""
        return self._read(kind, lambda: self._reader.get(kind, key))

    def get_many(self, kind: Kind[R], keys: Sequence[tuple[KeyPart, ...]]) -> list[R | None]:
        """Return the records at whole keys, in that order."""
        return self._read(kind, lambda: self._reader.get_many(kind, keys))

    def scan(
        self,
        kind: Kind[R],
        prefix: tuple[KeyPart, ...],
        *,
        start: tuple[KeyPart, ...] = (),
        stop: tuple[KeyPart, ...] = (),
        index: str = "",
        reverse: bool = False,
        limit: int = DEFAULT_SCAN,
    ) -> list[R]:
        """Return at most `limit` records in key order, as the contract says."""
        return self._read(
            kind,
            lambda: self._reader.scan(
                kind, prefix, start=start, stop=stop, index=index, reverse=reverse, limit=limit
            ),
        )

    def lookup(
        self, kind: Kind[Any], index: str, keys: Sequence[tuple[KeyPart, ...]]
    ) -> list[tuple[KeyPart, ...] | None]:
        """Return, for each whole key of a unique index, the key of the record that it names, or None."""
        return self._read(kind, lambda: self._reader.lookup(kind, index, keys))

    def count(self, kind: Kind[Any], prefix: tuple[KeyPart, ...], *, index: str = "") -> int:
        """Return how many records (or index entries) begin with `prefix`."""
        return self._read(kind, lambda: self._reader.count(kind, prefix, index=index))


class ForwardingSnapshot(ForwardingReader):
    """A snapshot whose reads go through a wrapped reader."""

    def __init__(self, snapshot: Snapshot, reader: Reader) -> None:
        """Read through `reader`, which wraps `snapshot`."""
        super().__init__(reader)
        self._snapshot = snapshot

    def close(self) -> None:
        """Release the state."""
        self._snapshot.close()

    def __enter__(self) -> Snapshot:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the state."""
        self.close()


class ForwardingStore:
    """A store that passes every call on."""

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
        """Queue a plan."""
        return self._store.submit(project, plan)

    def commit(self, project: ProjectId, plan: Plan) -> Any:
        """Submit a plan and wait for it."""
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

    def warm(self) -> None:
        """Make commits as quick as they get."""
        self._store.warm()

    def compact(self) -> None:
        """Give back space that deletions left."""
        self._store.compact()

    def usage(self) -> Usage:
        """Return what the store occupies."""
        return self._store.usage()

    def close(self) -> None:
        """Close the store."""
        self._store.close()
