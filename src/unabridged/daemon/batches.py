"""What a reading worker sends: batches, at most two of them unacknowledged, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable

from unabridged.archive.admission import Append
from unabridged.daemon.messages import Ack, Filled, Finished, Report, Trouble
from unabridged.errors import UnabridgedError

IN_FLIGHT = 2  # batches that are not acknowledged yet

Send = Callable[[Report], None]
Receive = Callable[[], Ack]


class Stopped(Exception):
    """The daemon wants no more of this transcript."""


class Batches:
    """The way of one transcript to the daemon."""

    def __init__(self, path: str, send: Send, receive: Receive) -> None:
        """Speak of the transcript at `path`."""
        self._path = path
        self._send = send
        self._receive = receive
        self._unacknowledged = 0
        self._troubles = list[Trouble]()

    def fill(self, append: Append) -> None:
        """Send a batch; raise `Stopped` when the daemon wants no more."""
        for number, code, message in append.problems:
            self._troubles.append(Trouble(self._path, number, code, message))
        before = append.before.source_offset if append.before is not None else 0
        self._send(Filled(append, append.after.source_offset - before))
        self._unacknowledged += 1
        if self._unacknowledged >= IN_FLIGHT:
            # The daemon answers the oldest batch when this one has arrived; the last ones go without an answer.
            self._unacknowledged -= 1
            if self._receive().stop:
                raise Stopped

    def trouble(self, error: UnabridgedError) -> None:
        """Note what is wrong with the whole file."""
        self._troubles.append(Trouble(self._path, 0, error.code, error.message))

    def finish(self, outcome: str, opened: bool = False, grown: bool = False) -> None:
        """Say how it went."""
        self._send(Finished(outcome, self._troubles, opened, grown))
