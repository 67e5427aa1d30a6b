"""The daemon's end of the index worker: orders out, standing in."""

from __future__ import annotations

import os

from unabridged.daemon import indexmessages as messages
from unabridged.daemon.indexmessages import Apply, ApplyMade, Commit, Digest, Digested, Failed, Open, Standing
from unabridged.daemon.workers import Process
from unabridged.errors import IndexError_, InternalError, UnabridgedError, by_code
from unabridged.index.feed import Feed
from unabridged.schema.ids import ProjectId

ROLE = "index"


class Rejected(UnabridgedError):
    """The index did not take what follows its own position: its state is not what it says."""

    code = "index-rejected"


class IndexWorker:
    """One worker process on one generation. For one thread; raises `ChannelClosed` when the process dies."""

    def __init__(self, path: str, errors: str) -> None:
        """Start the process and open the index; raises what the index raises."""
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        self._process = Process(ROLE, errors)
        self._ahead = dict[ProjectId, int]()
        self.uncommitted = False
        self.watermarks = dict[ProjectId, tuple[int, bytes]]()
        self.windows = self.damaged = 0
        self._ask(Open(path))

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def position(self, project: ProjectId) -> int:
        """Return the log position that the worker has applied."""
        return self._ahead.get(project) or self.watermarks.get(project, (0, b""))[0]

    def apply(self, feed: Feed, made: bytes | None = None) -> None:
        """Have a stretch of the log added; `made`: with windows that somebody else made of it."""
        self._ask(Apply(feed) if made is None else ApplyMade(made))
        reached = self.watermarks.get(feed.project, (0, b""))[0]
        if reached != feed.position:
            raise Rejected(position=feed.position, reached=reached)
        self._ahead[feed.project] = feed.position
        self.uncommitted = True

    def commit(self) -> None:
        """Have what was applied committed."""
        self._ask(Commit())
        self.uncommitted = False

    def digest(self, path: str) -> Digested:
        """Return the digest of the logical content of the index in a folder, and its damaged files."""
        self._process.channel.send(messages.encode(Digest(path)))
        report = messages.report(self._process.channel.receive())
        if isinstance(report, Digested):
            return report
        raise _error(report)

    def end(self) -> int:
        """End the process; return its exit status."""
        return self._process.end()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def _ask(self, order: messages.Order) -> None:
        self._process.channel.send(messages.encode(order))
        report = messages.report(self._process.channel.receive())
        if not isinstance(report, Standing):
            raise _error(report)
        self.watermarks, self.windows, self.damaged = report.watermarks, report.windows, report.damaged


def _error(report: messages.Report) -> UnabridgedError:
    if not isinstance(report, Failed):
        return InternalError("the index worker answered something else")
    kind = by_code().get(report.code, IndexError_)
    return kind(report.message, places=report.places) if report.places else kind(report.message)
