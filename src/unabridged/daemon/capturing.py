"""Long items of conversations are read by an ingest worker, so that nobody who asks the daemon waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from unabridged.archive.admission import Append
from unabridged.archive.capture import Row, Stream
from unabridged.daemon import messages, pool
from unabridged.daemon.channel import Channel
from unabridged.daemon.jobs import Rules
from unabridged.daemon.messages import Broken, Filled, Finished, Take
from unabridged.errors import InternalError, UnabridgedError
from unabridged.schema.records import Generation

Commit = Callable[[Append], None]


class TakeJob:
    """Has a worker read items; `commit` takes each append as it comes."""

    def __init__(self, request: Take, commit: Commit) -> None:
        """Ask for what `request` says."""
        self.attempts = pool.ATTEMPTS - 1  # what was taken is on its way: its sender asks again, not the pool
        self._request = request
        self._commit = commit
        self._ended = threading.Event()
        self._error: UnabridgedError | None = None

    def run(self, channel: Channel) -> None:
        """Ask the worker and hand on what it gives."""
        channel.send(messages.encode(self._request))
        while True:
            report = messages.report(channel.receive())
            if isinstance(report, Broken):
                raise InternalError(type=report.kind, places=report.places)
            if isinstance(report, Filled):
                self._take(report.append)
            elif isinstance(report, Finished):
                self._ended.set()
                return

    def _take(self, append: Append) -> None:
        if self._error is not None:
            return
        try:
            self._commit(append)
        except UnabridgedError as error:
            self._error = error

    def lost(self, why: str) -> None:
        """Let who waits know."""
        self._error = InternalError("the process that reads items ended", why=why)
        self._ended.set()

    def wait(self) -> None:
        """Wait for the end; raise what went wrong."""
        self._ended.wait()
        if self._error is not None:
            raise self._error


class Workers:
    """Reads items in the ingest workers (see `service.capturing.Elsewhere`)."""

    def __init__(self, workers: pool.Pool, rules: Rules) -> None:
        """Give jobs to `workers`."""
        self._pool = workers
        self._rules = rules

    def read(self, stream: Stream, rows: Sequence[Row], before: Generation | None, commit: Commit) -> None:
        """Have items read behind `before`; return when all of them were taken."""
        rules = self._rules
        request = Take(stream, list(rows), before, rules.redact, list(rules.literals), list(rules.patterns))
        job = TakeJob(request, commit)
        self._pool.submit(job, pool.LIVE)
        job.wait()
