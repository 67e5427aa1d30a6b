"""The contract's `Store` over a byte-level engine in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from unabridged.errors import StoreClosed, Unsupported, WouldOverwrite
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.records import LOG
from unabridged.store import folder
from unabridged.store.bytes import ByteEngine, ByteView
from unabridged.store.clock import system_clock
from unabridged.store.collections import Records
from unabridged.store.contract import Capabilities, Plan, Snapshot, Usage
from unabridged.store.writer import Writer


class _ClosedReader:
    """What a closed snapshot reads from."""

    def get(self, key: bytes) -> bytes | None:
        raise StoreClosed("the snapshot is closed", size=len(key))

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        raise StoreClosed("the snapshot is closed", size=len(keys))

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        del lower, upper, reverse
        raise StoreClosed("the snapshot is closed", limit=limit)

    def count(self, lower: bytes, upper: bytes) -> int:
        raise StoreClosed("the snapshot is closed", size=len(lower) + len(upper))


_CLOSED = _ClosedReader()


class EmbeddedSnapshot(Records):
    """A published state of an embedded store; a context manager."""

    __slots__ = ("_view",)

    def __init__(self, view: ByteView) -> None:
        """Take over a view."""
        super().__init__(view)
        self._view: ByteView | None = view

    def close(self) -> None:
        """Release the state."""
        view, self._view = self._view, None
        if view is not None:
            self._bytes = _CLOSED
            view.close()

    def __enter__(self) -> Snapshot:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the state."""
        self.close()


class EmbeddedStore:
    """One engine with its writer thread. `released` is called when it is closed, to let the owner's lock go."""

    def __init__(
        self,
        engine: ByteEngine,
        *,
        clock: Callable[[], Micros] = system_clock,
        released: Callable[[], None] | None = None,
    ) -> None:
        """Take over an open engine."""
        self._engine = engine
        self._clock = clock
        self._released = released
        self._writer = Writer(engine, clock)

    @property
    def capabilities(self) -> Capabilities:
        """What this engine can do."""
        return self._engine.capabilities

    def snapshot(self, project: ProjectId | None = None) -> Snapshot:  # noqa: ARG002 - one state holds all
        """Return the last published state of all projects."""
        return EmbeddedSnapshot(self._engine.view())

    def submit(self, project: ProjectId, plan: Plan) -> Future[Any]:  # noqa: ARG002 - one writer serves all projects
        """Queue a plan; the future resolves when it is durable and published, or to its error."""
        return self._writer.submit(plan)

    def commit(self, project: ProjectId, plan: Plan) -> Any:
        """Submit a plan and wait for it."""
        return self.submit(project, plan).result()

    def now(self) -> Micros:
        """Return microseconds since 1970 UTC."""
        return self._clock()

    def wait(self, project: ProjectId, after: int, timeout: float) -> bool:
        """Wait until the project's log goes beyond position `after`, at most `timeout` seconds."""

        def last() -> int:
            with self.snapshot() as snapshot:
                found = snapshot.scan(LOG, (project,), reverse=True, limit=1)
            return found[0].position if found else 0

        return self._writer.wait(project, after, timeout, last)

    def backup(self, path: Path) -> None:
        """Write a consistent copy, a store of the same engine, to an empty or absent folder, while the store runs.

        Raises `WouldOverwrite` for a folder that is not empty. On the same file system the RocksDB engine links its
        table files, which never change, instead of copying them.
        """
        if not self.capabilities.backup:
            raise Unsupported("this engine has no backup", engine=self.capabilities.engine)
        folder.prepare(path)
        if folder.is_store(path):
            raise WouldOverwrite(path=str(path))
        self._engine.backup(folder.begin(path, self.capabilities.engine))
        folder.finish(path)

    def warm(self) -> None:
        """Make commits as quick as they get."""
        self._engine.warm()

    def compact(self) -> None:
        """Give back space that deletions left."""
        self._engine.compact()

    def usage(self) -> Usage:
        """Return what the store occupies, and why nothing can be written when that is so."""
        failure = self._writer.failure
        return replace(self._engine.usage(), failure=failure.code if failure is not None else "")

    def close(self) -> None:
        """Finish queued plans, flush, release the lock."""
        self._writer.close()
        try:
            self._engine.close()
        finally:
            released, self._released = self._released, None
            if released is not None:
                released()
