"""A store that tries again, a bounded number of times, when it could not answer just now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from unabridged.errors import TransientStoreError
from unabridged.schema.ids import ProjectId
from unabridged.schema.kinds import Kind
from unabridged.store.contract import Plan, Reader, Snapshot, Store
from unabridged.store.wrap.forward import ForwardingReader, ForwardingSnapshot, ForwardingStore

T = TypeVar("T")

# Seconds before each further attempt: in all about what a checkpoint or a short lock of another process takes.
PAUSES = (0.01, 0.04, 0.16, 0.64)


class Retry:
    """How calls are repeated: `pause` waits a number of seconds (and may wait longer or shorter, to spread callers)."""

    def __init__(self, pause: Callable[[float], object], pauses: tuple[float, ...] = PAUSES) -> None:
        """Take the way to wait, and how long before each further attempt."""
        self._pause = pause
        self._pauses = pauses

    def run(self, action: Callable[[], T]) -> T:
        """Carry an action out, again after each `TransientStoreError` while there are attempts left."""
        for seconds in self._pauses:
            try:
                return action()
            except TransientStoreError:
                self._pause(seconds)
        return action()


class RetryingStore(ForwardingStore):
    """Another store whose commits and reads are retried. What is submitted is not: its future tells its caller."""

    def __init__(self, store: Store, retry: Retry) -> None:
        """Take over an open store."""
        super().__init__(store)
        self._retry = retry

    def snapshot(self, project: ProjectId | None = None) -> Snapshot:
        """Return the last published state; its reads are retried too."""
        snapshot = self._retry.run(lambda: self._store.snapshot(project))
        return ForwardingSnapshot(snapshot, _RetryingReader(snapshot, self._retry))

    def commit(self, project: ProjectId, plan: Plan) -> Any:
        """Submit a plan and wait for it; a transient failure wrote nothing, so it is safe to go again."""
        return self._retry.run(lambda: self._store.commit(project, plan))


class _RetryingReader(ForwardingReader):
    def __init__(self, reader: Reader, retry: Retry) -> None:
        super().__init__(reader)
        self._retry = retry

    def _read(self, kind: Kind[Any], action: Callable[[], T]) -> T:
        del kind
        return self._retry.run(action)
