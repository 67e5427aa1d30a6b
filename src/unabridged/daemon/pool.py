"""Threads that each drive one ingest worker: jobs in, jobs done, whatever happens to the worker."""

from __future__ import annotations

import itertools
import threading
import time
from queue import Empty, PriorityQueue
from typing import Protocol

from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.logs import Log
from unabridged.daemon.workers import Backoff, Process

# Priorities: a growing transcript before a new import, its files after that; the index when there is nothing to read.
LIVE, FINDING, BULK, INDEX = 0, 1, 2, 3
ATTEMPTS = 2  # a job whose worker died so often is given up: it is likely what kills it
IDLE_SECONDS = 60.0  # after which a worker without a job is ended, to give its memory back
ROLE = "ingest"


class Job(Protocol):
    """Work for one worker."""

    attempts: int

    def run(self, channel: Channel) -> None:
        """Work through the channel; raise `ChannelClosed` when the worker dies."""
        ...

    def lost(self, why: str) -> None:
        """Learn that the job is given up. `why` is a stable code."""
        ...


class _Start:
    """A job that does nothing: who takes it has a process afterwards."""

    def __init__(self) -> None:
        self.attempts = 0

    def run(self, channel: Channel) -> None:
        pass

    def lost(self, why: str) -> None:
        pass


class Pool:
    """So many threads, each with a worker process while there is work."""

    def __init__(self, size: int, log: Log, errors: str = "") -> None:
        """Start the threads; `errors` is where the workers' error streams go."""
        self._log = log
        self._errors = errors
        self._numbers = itertools.count()
        self._jobs = PriorityQueue[tuple[int, int, Job | None]]()
        self._lock = threading.Lock()
        self._processes = dict[int, Process]()
        self._idle = set[int]()  # threads that wait for a job
        self._closed = False
        self._threads = [
            threading.Thread(target=self._loop, args=(number,), name=f"ingest-{number}", daemon=True)
            for number in range(size)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job, priority: int) -> None:
        """Queue a job."""
        self._jobs.put((priority, next(self._numbers), job))

    def warm(self) -> None:
        """Start the processes of all threads but one, which a job is about to take: so nobody waits for them later."""
        for _ in self._threads[1:]:
            self.submit(_Start(), FINDING)

    def offer(self, job: Job) -> bool:
        """Queue a job that can be done elsewhere too, if workers run and one has nothing to do; tell whether."""
        with self._lock:
            free = len(self._idle) if self._processes else 0
        if free <= self._jobs.qsize():
            return False
        self.submit(job, INDEX)
        return True

    def pids(self) -> list[int]:
        """Return the numbers of the worker processes that run now."""
        with self._lock:
            return [process.pid for process in self._processes.values()]

    @property
    def waiting(self) -> int:
        """Jobs that no worker has taken yet, roughly."""
        return self._jobs.qsize()

    def close(self, timeout: float) -> None:
        """End the workers; jobs that wait are given up, running ones within `timeout` seconds."""
        self._closed = True
        for _ in self._threads:
            self._jobs.put((-1, next(self._numbers), None))
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        with self._lock:
            left = list(self._processes.values())
        for process in left:
            process.kill()
        for thread in self._threads:
            thread.join(timeout)
        while True:
            try:
                job = self._jobs.get_nowait()[2]
            except Empty:
                return
            if job is not None:
                job.lost("cancelled")

    def _loop(self, number: int) -> None:
        backoff = Backoff()
        while True:
            with self._lock:
                self._idle.add(number)
            try:
                priority, _, job = self._jobs.get(timeout=IDLE_SECONDS)
            except Empty:
                self._end(number)
                continue
            finally:
                with self._lock:
                    self._idle.discard(number)
            if job is None:
                self._end(number)
                return
            self._do(number, job, priority, backoff)

    def _do(self, number: int, job: Job, priority: int, backoff: Backoff) -> None:
        job.attempts += 1
        try:
            job.run(self._process(number).channel)
        except ChannelClosed:
            lived, status = self._end(number)
            if self._closed:
                job.lost("cancelled")
                return
            self._log.warning("worker-died", role=ROLE, status=status, seconds=round(lived, 3))
            time.sleep(backoff.next(lived))
            if job.attempts < ATTEMPTS:
                self.submit(job, priority)
            else:
                job.lost("reader-died")
        except Exception as error:  # noqa: BLE001 - a fault in one job is logged and told, and the thread goes on
            self._log.failure("job-failed", error)
            self._end(number)
            job.lost("internal-error")

    def _process(self, number: int) -> Process:
        with self._lock:
            found = self._processes.get(number)
        if found is None:
            found = Process(ROLE, self._errors)
            with self._lock:
                self._processes[number] = found
        return found

    def _end(self, number: int) -> tuple[float, int]:
        """End this thread's worker; return how long it lived and its exit status."""
        with self._lock:
            process = self._processes.pop(number, None)
        if process is None:
            return 0.0, 0
        return time.monotonic() - process.started, process.end()
