"""The one thread that writes: plans that wait together share one flush.

A group runs each plan over what the plans before it left, writes without flushing, flushes once, publishes one state,
then resolves the futures. When a write or flush fails, the group is not acknowledged: the engine is reopened, and the
number that every write carries tells which of the group's writes are there (those are acknowledged after all, being
durable) and which are not (those fail, with nothing written). While the engine cannot be reopened, the last published
state stays readable where the engine still can, every plan fails, and the next one tries to reopen again; writes of
the failed group that appear then are taken back before anybody sees them.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from unabridged.errors import (
    DiskFull,
    ReadOnly,
    StoreClosed,
    StoreFailed,
    TransientStoreError,
    UnabridgedError,
)
from unabridged.schema.ids import Micros, ProjectId
from unabridged.store.bytes import COMMIT_KEY, ByteEngine, Change
from unabridged.store.collections import Effects, Noted, Records, effects
from unabridged.store.contract import Plan

GROUP_PLANS = 256  # plans; more would keep the first of a group waiting for no gain in flushes
GROUP_BYTES = 32 << 20  # bytes; what one flush may have to write, a few hundred milliseconds of a slow disk
GROUP_MICROS = 4_000  # microseconds of running plans before a flush, so that the first one is not held up
QUEUE_PLANS = 4_096  # plans; a longer queue means that writes come faster than the disk takes them


class _Outcome:
    """What became of one plan; `number` is of the last write that it saw or made."""

    __slots__ = ("error", "future", "number", "result")

    def __init__(self, future: Future[Any]) -> None:
        self.future = future
        self.number = 0
        self.result: Any = None
        self.error: BaseException | None = None

    def resolve(self) -> None:
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class _Group:
    """The plans of one flush."""

    __slots__ = ("failure", "keys", "outcomes", "positions", "size")

    def __init__(self) -> None:
        self.outcomes = list[_Outcome]()
        self.keys = list[bytes]()
        self.positions: dict[ProjectId, int] = {}
        self.size = 0  # bytes of values
        self.failure: UnabridgedError | None = None


_Job = tuple[Plan, Future[Any]]


class Writer:
    """The writer thread of one engine."""

    def __init__(self, engine: ByteEngine, clock: Callable[[], Micros]) -> None:
        """Start the thread; `clock` gives microseconds."""
        self._engine = engine
        self._clock = clock
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._gate = threading.Lock()  # over `_closed` and the order of the queue
        self._closed = False
        self._stopping = False
        self._moved = threading.Condition()  # over `_positions`
        self._positions: dict[ProjectId, int] = {}
        self._number = self._acknowledged = self._found()
        self._failure: UnabridgedError | None = None
        self._undo: dict[bytes, bytes | None] = {}
        self._lost: UnabridgedError | None = None  # a failure after which the engine is not reopened
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    # --- the callers' side ---------------------------------------------------------------------------------------

    def submit(self, plan: Plan) -> Future[Any]:
        """Queue a plan; raise `StoreClosed`, or `TransientStoreError` when too many wait."""
        future: Future[Any] = Future()
        with self._gate:
            if self._closed:
                raise StoreClosed
            if self._jobs.qsize() >= QUEUE_PLANS:
                raise TransientStoreError("too many writes are waiting", limit=QUEUE_PLANS)
            self._jobs.put((plan, future))
        return future

    def wait(self, project: ProjectId, after: int, timeout: float, current: Callable[[], int]) -> bool:
        """Wait until the published log of a project goes beyond `after`; `current` reads its present end."""
        positions = self._positions

        def ended() -> bool:
            if self._closed:
                return True
            if project not in positions:
                positions[project] = current()
            return positions[project] > after

        with self._moved:
            self._moved.wait_for(ended, timeout)
            return positions.get(project, 0) > after

    @property
    def failure(self) -> UnabridgedError | None:
        """What the engine failed with, until it works again."""
        return self._failure

    def close(self) -> None:
        """Run what is queued, then end the thread and let the published state go."""
        with self._gate:
            first = not self._closed
            self._closed = True
            if first:
                self._jobs.put(None)
        self._thread.join()
        with self._moved:
            self._moved.notify_all()

    # --- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping:
            job = self._jobs.get()
            group = _Group()
            deadline = self._clock() + GROUP_MICROS
            while job is not None:
                self._take(job, group)
                full = len(group.outcomes) >= GROUP_PLANS or group.size >= GROUP_BYTES
                if full or group.failure is not None or self._clock() >= deadline:
                    break
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
            self._stopping = job is None
            if group.outcomes:
                self._complete(group)

    def _complete(self, group: _Group) -> None:
        """Finish a group; whatever happens, its futures resolve."""
        try:
            self._finish(group)
        except Exception as error:  # noqa: BLE001 - a fault of ours must not leave its callers waiting for ever
            self._failure = self._lost = _failed(StoreFailed("the writer failed", kind=type(error).__name__))
            self._lost.__cause__ = error
            for outcome in group.outcomes:
                outcome.error = self._lost
        for outcome in group.outcomes:
            outcome.resolve()

    def _take(self, job: _Job, group: _Group) -> None:
        """Run one plan over the live state, then write what it wants."""
        plan, future = job
        if not future.set_running_or_notify_cancel():
            return
        outcome = _Outcome(future)
        group.outcomes.append(outcome)
        try:
            if self._failure is not None:
                self._revive()
            state = Noted(self._engine)
            batch = plan(Records(state))
            outcome.result = batch.result
            wanted = effects(batch, state, state.foresee)
        except Exception as error:  # noqa: BLE001 - whatever a plan raises goes to who submitted it, and to no other
            outcome.error = error
        else:
            if wanted.changes:
                self._write(wanted, group)
        outcome.number = self._number

    def _write(self, wanted: Effects, group: _Group) -> None:
        self._number += 1
        changes: list[Change] = list(wanted.changes.items())
        changes.append((COMMIT_KEY, self._number.to_bytes(8, "big")))
        group.keys.extend(wanted.changes)
        group.size += sum(len(value) for value in wanted.changes.values() if value)
        for project, position in wanted.positions.items():
            group.positions[project] = max(position, group.positions.get(project, 0))
        try:
            self._engine.write(changes)
        except UnabridgedError as error:
            group.failure = error

    def _finish(self, group: _Group) -> None:
        """Flush, publish, resolve."""
        if group.keys and group.failure is None:
            try:
                self._engine.flush()
                self._engine.publish()
            except UnabridgedError as error:
                group.failure = error
            else:
                self._acknowledged = self._number
        if group.failure is not None:
            self._fail(group, group.failure)
        elif group.positions:
            self._announce(group.positions)

    def _fail(self, group: _Group, failure: UnabridgedError) -> None:
        """Find out by reopening what of a failed group is durable; the rest is not there and fails."""
        self._failure = failure
        self._remember(group.keys)
        durable = self._acknowledged
        try:
            found = self._reopen()
            self._settle(found)
            durable = found
        except UnabridgedError as error:
            self._failure = error
        for outcome in group.outcomes:
            if outcome.number > durable:
                outcome.error = _failed(failure)
        with self._moved:
            self._positions.clear()  # read anew from what is published by who waits
            self._moved.notify_all()

    def _remember(self, keys: list[bytes]) -> None:
        """Keep what the published state holds under keys that a failed group wrote, to take its writes back."""
        self._undo = {}
        try:
            view = self._engine.view()
            self._undo = dict(zip(keys, view.get_many(keys), strict=True))
            view.close()
        except UnabridgedError as error:
            # Not even reads work: nothing can be taken back, so the engine is not tried again in this process. After
            # that the group's writes are there wholly or not at all, like those of a process that was killed.
            self._lost = _failed(error)

    def _revive(self) -> None:
        """Reopen after a failure, taking back what a failed group left; raise while that is not possible."""
        if self._lost is not None:
            raise self._lost
        try:
            if self._reopen() > self._acknowledged:
                undo: list[Change] = list(self._undo.items())
                undo.append((COMMIT_KEY, self._acknowledged.to_bytes(8, "big")))
                self._engine.write(undo)
                self._engine.flush()
            self._settle(self._acknowledged)
        except UnabridgedError as error:
            raise _failed(error) from error

    def _reopen(self) -> int:
        """Reopen the engine; return the number of the last write that is there."""
        self._engine.reopen()
        return self._found()

    def _settle(self, number: int) -> None:
        """Go on from a reopened engine whose last write is `number`."""
        self._engine.publish()
        self._failure = None
        self._undo = {}
        self._number = self._acknowledged = number

    def _found(self) -> int:
        return int.from_bytes(self._engine.get(COMMIT_KEY) or b"", "big")

    def _announce(self, positions: dict[ProjectId, int]) -> None:
        with self._moved:
            for project, position in positions.items():
                self._positions[project] = max(position, self._positions.get(project, 0))
            self._moved.notify_all()


def _failed(error: UnabridgedError) -> UnabridgedError:
    """Return the error that callers get for a failure of the engine."""
    if isinstance(error, DiskFull | ReadOnly):
        return type(error)(**error.details)
    failed = StoreFailed(**error.details)
    failed.__cause__ = error
    return failed
