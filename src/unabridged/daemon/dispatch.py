"""Runs requests in threads, each on its own snapshot, and hands encoded answers back to the event loop.

A request costs two hand-overs: a queue that wakes one reader thread, and one wake-up of the loop. Operations that run
for minutes have threads of their own, so that a search never waits behind an import.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

import msgspec

from unabridged.daemon import wire
from unabridged.daemon.courtesy import Courtesy
from unabridged.daemon.logs import Log
from unabridged.errors import (
    Cancelled,
    DeadlineExceeded,
    InternalError,
    InvalidInput,
    StoreFailed,
    UnabridgedError,
)
from unabridged.service.caller import Call, Caller, Pending
from unabridged.service.operations import Operation
from unabridged.service.ports import Services

STREAMS = 4  # requests that run for minutes at once; further ones wait
SLOW_KEPT = 100  # slow requests remembered
BRIEF_BYTES = 32 << 10  # of a frame that the loop may decode
PROGRESS_SECONDS = 0.1  # between two progress notifications of one request

Found = TypeVar("Found")
Wake = Callable[..., object]  # the loop's call_soon_threadsafe


class Task:
    """One request on its way through the daemon."""

    __slots__ = ("caller", "done", "notify", "operation", "params", "queued", "request", "size", "stopped")

    def __init__(
        self,
        operation: Operation,
        caller: Caller,
        frame: wire.Frame,
        size: int,
        done: Callable[[Task, bytes], None],
        notify: Callable[[Task, bytes], None],
    ) -> None:
        """Take a request; `done` and `notify` are called on the loop."""
        self.operation = operation
        self.caller = caller
        self.request: wire.RequestId = None if frame.id is msgspec.UNSET else frame.id
        self.params = frame.params
        self.size = size  # bytes of its frame, held until it is answered
        self.done = done
        self.notify = notify
        self.queued = time.perf_counter()
        self.stopped: UnabridgedError | None = None

    def stop(self, error: UnabridgedError) -> None:
        """Let the handler end at its next check."""
        self.stopped = error

    def check(self) -> None:
        """Raise what stopped the request."""
        if self.stopped is not None:
            raise self.stopped


class SlowRequests:
    """The last requests that took long: names and times, never what was asked."""

    def __init__(self, milliseconds: int) -> None:
        """Keep those of at least so many milliseconds."""
        self._limit = milliseconds / 1000
        self._kept = deque[dict[str, Any]](maxlen=SLOW_KEPT)

    def note(self, task: Task, started: float, ended: float, code: str) -> None:
        """Keep a finished request when it was slow."""
        if ended - task.queued < self._limit or code == Cancelled.code:
            return  # how long a client waits that then goes away is its own affair
        self._kept.append(
            {
                "operation": task.operation.name,
                "milliseconds": round((ended - task.queued) * 1000, 1),
                "waited": round((started - task.queued) * 1000, 1),
                "ended": int(time.time()),
                "outcome": code,
            }
        )

    def listed(self) -> list[dict[str, Any]]:
        """Return them, oldest first."""
        return list(self._kept)


class Dispatcher:
    """The threads. `wake` schedules a call on the loop from any thread."""

    def __init__(self, services: Services, wake: Wake, log: Log, readers: int, slow: SlowRequests) -> None:
        """Start the reader threads; while they work, what asks `courtesy` gives way."""
        self._services = services
        self._wake = wake
        self._log = log
        self._slow = slow
        self.courtesy = Courtesy()
        self._decoders: dict[str, msgspec.json.Decoder[Any]] = {}
        self._reads = SimpleQueue[Task | None]()
        self._streams = SimpleQueue[Task | None]()
        self._threads = [self._thread(f"reader-{n}", self._reads) for n in range(readers)]
        self._threads += [self._thread(f"stream-{n}", self._streams) for n in range(STREAMS)]

    def _thread(self, name: str, queue: SimpleQueue[Task | None]) -> threading.Thread:
        thread = threading.Thread(target=self._loop, args=(queue,), name=name, daemon=True)
        thread.start()
        return thread

    def submit(self, task: Task) -> None:
        """Run a request in a thread; its `done` is called on the loop.

        One that only has to be handed on to a commit is, here and now: each change of threads takes as long as it does.
        """
        if task.operation.begins is not None and task.size <= BRIEF_BYTES and self._begun(task):
            return
        (self._streams if task.operation.streams else self._reads).put(task)

    def immediate(self, task: Task) -> bytes:
        """Run a request that takes microseconds, here and now."""
        found = self._guarded(task, time.perf_counter(), lambda: self._begin(task))
        assert isinstance(found, bytes), "an operation that is answered at once waits for nothing"
        return found

    def close(self, timeout: float) -> bool:
        """Let the threads end; tell whether all did within `timeout` seconds."""
        for thread in self._threads:
            (self._streams if thread.name.startswith("stream") else self._reads).put(None)
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _loop(self, queue: SimpleQueue[Task | None]) -> None:
        while (task := queue.get()) is not None:
            with nullcontext() if queue is self._streams else self.courtesy.waited_for():
                going = self._work(task, lambda task=task: self._begin(task))
            if not going:
                return  # the loop is closed: nobody is left to answer

    def _begun(self, task: Task) -> bool:
        """Begin a request where its operation says that it may be begun on the loop; tell whether that was so."""
        assert task.operation.begins is not None
        call = self._call(task)
        try:
            request = self._decode(task)
        except InvalidInput:
            return False  # a thread finds the same and answers it
        if not task.operation.begins(call, request):
            return False
        self._work(task, lambda: self._handled(task, call, request))
        return True

    def _work(self, task: Task, run: Callable[[], bytes | Pending]) -> bool:
        """Answer with what `run` gives, now or once it is committed; tell whether somebody is left to answer."""
        started = time.perf_counter()
        found = self._guarded(task, started, run)
        if isinstance(found, Pending):
            found.commit.add_done_callback(partial(self._committed, task, started, found))
            return True
        return self._answered(task, found)

    def _begin(self, task: Task) -> bytes | Pending:
        task.check()
        return self._handled(task, self._call(task), self._decode(task))

    def _handled(self, task: Task, call: Call, request: Any) -> bytes | Pending:
        answer = task.operation.handler(call, request)
        return answer if isinstance(answer, Pending) else wire.answer(task.request, answer)

    def _committed(self, task: Task, started: float, pending: Pending, commit: Future[Any]) -> None:
        """Answer what waited for a commit, in the thread that finished it."""

        def answer() -> bytes:
            return wire.answer(task.request, pending.answer(commit.result()))

        self._answered(task, self._guarded(task, started, answer))

    def _answered(self, task: Task, data: bytes) -> bool:
        try:
            self._wake(task.done, task, data)
        except RuntimeError:
            return False
        return True

    def _guarded(self, task: Task, started: float, run: Callable[[], Found]) -> Found | bytes:
        """Return what `run` gives; what it raises becomes the request's answer."""
        code = "ok"
        try:
            data = run()
        except UnabridgedError as error:
            code, data = error.code, wire.failure(task.request, error)
            if isinstance(error, StoreFailed):
                # Its owner cannot trust the store any longer; the next daemon opens it anew from what is durable.
                self._services.daemon.stop("the store failed")
        except Exception as error:  # noqa: BLE001 - a fault in one request is its own answer, not the end of a thread
            self._log.failure("request-failed", error, operation=task.operation.name)
            code, data = (
                InternalError.code,
                wire.failure(task.request, InternalError(type=type(error).__name__)),
            )
        if not isinstance(data, Pending):
            self._slow.note(task, started, time.perf_counter(), code)
        return data

    def _call(self, task: Task) -> Call:
        return Call(self._services, task.caller, self._progress(task), task.check, self._services.now())

    def _decode(self, task: Task) -> Any:
        decoder = self._decoders.get(task.operation.name)
        if decoder is None:
            decoder = self._decoders[task.operation.name] = msgspec.json.Decoder(task.operation.request)
        try:
            return decoder.decode(task.params)
        except msgspec.ValidationError as error:
            reason, _, place = str(error).partition(" - at `$.")
            raise InvalidInput(reason, field=place.rstrip("`")) from error
        except msgspec.DecodeError as error:
            raise InvalidInput("the parameters are not valid JSON", field="params") from error

    def _progress(self, task: Task) -> Callable[[Mapping[str, Any]], None]:
        last = 0.0

        def send(facts: Mapping[str, Any]) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < PROGRESS_SECONDS:
                return
            last = now
            line = wire.notification("progress", {"id": task.request, **facts})
            try:
                self._wake(task.notify, task, line)
            except RuntimeError:
                # The loop is closed; the request itself learns it when it is answered.
                return

        return send


def gone() -> UnabridgedError:
    """Return the error of a request whose caller has gone or cancelled it."""
    return Cancelled()


def late(seconds: float) -> UnabridgedError:
    """Return the error of a request that took longer than its caller waits."""
    return DeadlineExceeded(seconds=seconds)
