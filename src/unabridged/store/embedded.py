"""The contract's `Store` over a byte-level engine in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any

from unabridged.errors import StoreClosed
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.records import LOG
from unabridged.store.bytes import ByteEngine
from unabridged.store.clock import system_clock
from unabridged.store.collections import Records
from unabridged.store.contract import Capabilities, Plan, Snapshot, Usage
from unabridged.store.views import SharedView
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

    __slots__ = ("_held",)

    def __init__(self, held: SharedView) -> None:
        """Take over one hold of a shared view."""
        super().__init__(held.view)
        self._held: SharedView | None = held

    def close(self) -> None:
        """Release the state."""
        held, self._held = self._held, None
        if held is not None:
            self._bytes = _CLOSED
            held.release()

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
        return EmbeddedSnapshot(self._writer.view())

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
        """Write a consistent copy to an empty or absent folder, while the store runs."""
        self._engine.backup(path)

    def compact(self) -> None:
        """Give back space that deletions left."""
        self._engine.compact()

    def usage(self) -> Usage:
        """Return what the store occupies."""
        return self._engine.usage()

    def close(self) -> None:
        """Finish queued plans, flush, release the lock."""
        self._writer.close()
        self._engine.close()
        released, self._released = self._released, None
        if released is not None:
            released()
