"""Questions to the vectors: the process that embeds and compares them, started when the first one comes.

A search waits for it a bounded time and goes on without it: that it is starting, too slow or gone is part of the
answer's account. It is ended when nobody has asked for a while, to give its memory back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from unabridged.daemon import vectormessages as messages
from unabridged.daemon.channel import ChannelClosed
from unabridged.daemon.logs import Log
from unabridged.daemon.vectormessages import Answered, Ask, Choice, Failed, Judge, Judged, Load, Report
from unabridged.daemon.workers import Backoff, Process
from unabridged.errors import IndexCorrupt, IndexTooNew, ModelDamaged, ProtocolError
from unabridged.retrieve.meaning import DIED, FAILED, LATE, NOT_INSTALLED, STARTING
from unabridged.vectors.asked import Nearest, Where

ROLE = "ask"
IDLE_SECONDS = 300.0  # without a question, after which the process is ended
START_SECONDS = 30.0  # that a model may take to load: a cold disk holds a large one
ANSWER_SECONDS = 2.0  # that a local model may take for a question, beyond which the process is given up
LOOK_SECONDS = 0.5  # between two looks whether the process has been idle for long

Target = tuple[Choice, str]  # a model and the folder of its table


class Asking:
    """The process and the thread that owns it: the kernel ends a worker with the thread that started it."""

    def __init__(
        self, target: Callable[[], Target | None], suspect: Callable[[], None], log: Log, errors: str
    ) -> None:
        """Ask what `target` says now (None: no model); `suspect` is called when the table cannot be used."""
        self._target = target
        self._suspect = suspect
        self._log = log
        self._errors = errors
        self._changed = threading.Condition()
        self._turn = threading.Lock()  # one question at a time
        self._process: Process | None = None
        self._serving: Target | None = None
        self._ready = False
        self._closed = False
        self._wanted = False
        self._why = ""  # why the last start failed
        self._asked = time.monotonic()
        self._thread: threading.Thread | None = None

    def ask(
        self, text: str, where: Where, limit: int, patience: float, also: Sequence[tuple[bytes, int]] = ()
    ) -> Nearest | str:
        """Return the nearest spans, or why there are none; wait at most `patience` seconds for a process to start."""
        report = self._asked_of(Ask(text, where, limit, list(also)), patience, ANSWER_SECONDS)
        return report.nearest if isinstance(report, Answered) else _why(report)

    def judge(
        self, question: str, passages: Sequence[str], seconds: float, patience: float
    ) -> list[float] | str:
        """Return how well the first passages answer, as many as `seconds` suffice for, or why there is nothing."""
        order = Judge(question, list(passages), seconds)
        report = self._asked_of(order, patience, seconds + ANSWER_SECONDS)
        return report.scores if isinstance(report, Judged) else _why(report)

    def _asked_of(self, order: Ask | Judge, patience: float, seconds: float) -> Report | str:
        target = self._target()
        if target is None:
            return NOT_INSTALLED
        process = self._reach(target, patience)
        if isinstance(process, str):
            return process
        limit_seconds = target[0].timeout + 1.0 if target[0].url else seconds
        if not self._turn.acquire(timeout=limit_seconds):
            return LATE
        try:
            return self._exchange(process, order, limit_seconds)
        finally:
            self._turn.release()

    def pids(self) -> list[int]:
        """Return the process's number."""
        process = self._process
        return [process.pid] if process is not None else []

    def close(self, timeout: float) -> None:
        """End the process."""
        with self._changed:
            self._closed = True
            process, thread = self._process, self._thread
            self._changed.notify_all()
        if process is not None:
            process.kill()
        if thread is not None:
            thread.join(timeout)

    def _exchange(self, process: Process, order: Ask | Judge, seconds: float) -> Report | str:
        try:
            process.channel.send(messages.encode(order))
            if not process.channel.ready(seconds):
                process.kill()  # its late answer must not be taken for the next one's
                return LATE
            report = messages.report(process.channel.receive())
        except (ChannelClosed, ProtocolError):
            process.kill()
            return DIED
        if isinstance(report, Failed):
            self._told(report)
            if report.code == ModelDamaged.code:
                process.kill()  # it is loaded anew, and may be another one by now
            return f"{FAILED}: {report.code}"
        return report

    def _told(self, report: Failed) -> None:
        self._log.warning("vectors-not-asked", code=report.code, places=report.places)
        if report.code in (IndexCorrupt.code, IndexTooNew.code):
            self._suspect()

    def _reach(self, target: Target, patience: float) -> Process | str:
        deadline = time.monotonic() + patience
        with self._changed:
            self._asked = time.monotonic()
            if self._ready and self._serving != target and self._process is not None:
                self._ready = False
                self._process.kill()  # another model, or its table was made anew
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="vectors-ask", daemon=True)
                self._thread.start()
            self._wanted = True
            self._changed.notify_all()
            while not (self._ready and self._process is not None and self._serving == target):
                left = deadline - time.monotonic()
                if self._closed or left <= 0 or self._why:
                    return self._why or STARTING
                self._changed.wait(left)
            return self._process

    def _run(self) -> None:
        backoff = Backoff()
        while True:
            with self._changed:
                while not self._wanted and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
            started = time.monotonic()
            target = self._target()
            if target is not None:
                self._serve(target)
            with self._changed:
                self._wanted = False
                self._changed.wait_for(lambda: self._closed, backoff.next(time.monotonic() - started))
                self._why = ""

    def _serve(self, target: Target) -> None:
        """Run one process until it dies, is idle for long, or the daemon ends."""
        try:
            process = Process(ROLE, self._errors)
        except OSError as error:
            self._log.failure("worker-not-started", error)
            return
        with self._changed:
            self._process, closed = process, self._closed
        idle = False
        if not closed and self._load(process, target):
            idle = self._watch(process)
        with self._changed:
            self._process, self._ready, self._serving = None, False, None
            closed = self._closed
            self._changed.notify_all()
        with self._turn:  # who waits for an answer learns first that there will be none
            status = process.end()
        if not idle and not closed:
            self._log.warning("worker-died", role=ROLE, status=status)

    def _load(self, process: Process, target: Target) -> bool:
        try:
            process.channel.send(messages.encode(Load(target[0], target[1])))
            if not process.channel.ready(START_SECONDS):
                return self._not_started(LATE)
            report = messages.report(process.channel.receive())
        except (ChannelClosed, ProtocolError):
            return self._not_started(DIED)
        if isinstance(report, Failed):
            self._told(report)
            return self._not_started(f"{FAILED}: {report.code}")
        with self._changed:
            self._ready, self._serving, self._why = True, target, ""
            self._changed.notify_all()
        return True

    def _not_started(self, why: str) -> bool:
        with self._changed:
            self._why = why
            self._changed.notify_all()
        return False

    def _watch(self, process: Process) -> bool:
        """Wait until the process has ended (False) or nobody has asked for long (True)."""
        while True:
            with self._changed:
                self._changed.wait(LOOK_SECONDS)
                if self._closed or not process.alive:
                    return False
                if time.monotonic() - self._asked > IDLE_SECONDS:
                    self._ready = False
                    return True


def _why(report: Report | str) -> str:
    """Return why there is no answer."""
    return report if isinstance(report, str) else FAILED
