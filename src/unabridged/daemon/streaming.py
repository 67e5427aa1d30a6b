"""Reads one session of a host's database: the worker's side, for streams of rows."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from unabridged.archive.ingest import Ingest, LineRedactor
from unabridged.archive.project import root_of
from unabridged.daemon.batches import Batches
from unabridged.daemon.messages import Read
from unabridged.daemon.rowfeed import RowFeed, newest_turn
from unabridged.errors import UnabridgedError
from unabridged.hosts.contract import Head, Host, Untimed
from unabridged.schema.ids import project_id
from unabridged.schema.records import Generation


class Streaming:
    """One stream on its way to the daemon."""

    def __init__(self, request: Read, host: Host, redactor: LineRedactor, batches: Batches) -> None:
        """Read the stream that `request.candidate.owner` names."""
        self._request = request
        self._host = host
        self._redactor = redactor
        self._batches = batches

    def read(self, now_ns: int) -> tuple[str, bool]:
        """Read what is new; return the outcome and whether a turn is open.

        The last turn ends when the host's own times say that the session is idle: a database's own time says nothing.
        """
        request, prior = self._request, self._request.prior
        stream = request.candidate.owner
        feed = RowFeed(self._host, request.candidate.path, stream, prior)
        ingest: Ingest | None = None
        failure: UnabridgedError | None = None
        try:
            for lines in feed.pages(live=request.live):
                if ingest is None:
                    head = feed.head(lines) if prior is None else Head(stream)
                    ingest = self._ingest(feed, head, prior)
                for append in ingest.feed(b"".join(lines)):
                    self._batches.fill(append)
        except UnabridgedError as error:  # what was given before counts
            failure = error
        last = prior
        if ingest is not None:
            # One commit for all: most streams of an export are short, and over.
            idle = failure is None and self._is_idle(ingest.open_turns, now_ns)
            last = self._finish(ingest, prior, idle=idle, version=0 if failure else request.version)
        if failure is not None:
            raise failure
        if last is None:
            return "empty", False
        if ingest is None and last.turn_state and self._is_idle(last.turn_state, now_ns):
            ingest = self._ingest(feed, Head(stream), last)
            last = self._finish(ingest, last, idle=True, version=request.version)
        return "unchanged" if last is prior else "read", bool(last is not None and last.turn_state)

    def _is_idle(self, turns: bytes, now_ns: int) -> bool:
        """Tell whether open turns have not been added to for long enough."""
        newest, candidate = newest_turn(turns), self._request.candidate
        if turns and isinstance(self._host, Untimed):
            newest = max(newest, self._host.changed(Path(candidate.path), candidate.owner))
        return self._request.close or now_ns / 1e3 - newest >= self._request.idle_seconds * 1e6

    def _finish(
        self, ingest: Ingest, last: Generation | None, *, idle: bool, version: int
    ) -> Generation | None:
        """Commit what is left. `version` 0 stands for none: the stream is read again when it is looked at again."""
        for append in ingest.finish(idle, 0, 0, version):
            self._batches.fill(append)
            last = append.after
        return last

    def _ingest(self, feed: RowFeed, head: Head, prior: Generation | None) -> Ingest:
        root = root_of(head.cwd, self._host.name, apart=self._request.apart)
        project = prior.project if prior is not None else project_id(root)
        host = cast("Host", feed)  # of a host an ingest uses the name and the reader alone
        return Ingest(host, self._request.candidate, head, root, project, self._redactor, prior)
