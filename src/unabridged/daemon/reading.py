"""Reads one transcript: the worker's side of an import's second step.

Memory stays bounded: blocks of 1 MiB go in, batches come out, and no more than two batches are unacknowledged.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from unabridged.archive.admission import Append
from unabridged.archive.ingest import Ingest, LineRedactor
from unabridged.archive.project import root_of
from unabridged.archive.resume import FileState, ResumePoint, resume_point
from unabridged.daemon.messages import Ack, Filled, Finished, Read, Report, Trouble
from unabridged.daemon.rowfeed import RowFeed, newest_turn
from unabridged.errors import NotATranscript, PathUnreadable, TranscriptChanged, UnabridgedError
from unabridged.hosts.contract import Candidate, Head, Host
from unabridged.schema.ids import project_id
from unabridged.schema.records import Generation

COMPRESSED = ".zst"  # a transcript of that ending is read as a whole, decompressed by its host
BLOCK = 1 << 20  # bytes read at once
HEAD_BYTES = 8 << 20  # bytes of a transcript that its host may look at to name it
IN_FLIGHT = 2  # batches that are not acknowledged yet
SIDECAR, ROWS = "sidecar", "rows"

Send = Callable[[Report], None]
Receive = Callable[[], Ack]


class Stopped(Exception):
    """The daemon wants no more of this transcript."""


class Reading:
    """One transcript on its way to the daemon."""

    def __init__(
        self, request: Read, host: Host, redactor: LineRedactor, send: Send, receive: Receive
    ) -> None:
        """Read `request.candidate`."""
        self._request = request
        self._host = host
        self._redactor = redactor
        self._send = send
        self._receive = receive
        self._unacknowledged = 0
        self._troubles = list[Trouble]()
        self._path = request.candidate.path

    def run(self, now_ns: int) -> None:
        """Read to the end that the file had at the start, and say how it went. `now_ns`: the time, for idleness."""
        outcome, opened, grown = "failed", False, False
        try:
            if self._request.candidate.kind == ROWS:
                outcome, opened = self._stream(now_ns)
            else:
                with open(self._path, "rb") as file:
                    outcome, opened, grown = self._read(file, now_ns)
        except Stopped:
            outcome = "stopped"
        except FileNotFoundError:
            self._trouble(TranscriptChanged("the transcript was removed before it was read"))
        except OSError as error:
            self._trouble(PathUnreadable(error.strerror or ""))
        except UnabridgedError as error:
            self._trouble(error)
        self._send(Finished(outcome, self._troubles, opened, grown))

    def _read(self, opened: BinaryIO, now_ns: int) -> tuple[str, bool, bool]:
        request = self._request
        found = os.fstat(opened.fileno())
        state = FileState(found.st_ino, found.st_size, found.st_mtime_ns)
        idle = request.close or now_ns - found.st_mtime_ns >= request.idle_seconds * 1e9
        if self._unchanged(state, idle):
            return "unchanged", False, False
        file, size = opened, state.size
        if self._path.endswith(COMPRESSED):
            file = BytesIO(self._host.decode(opened.read()))
            size = len(file.getbuffer())
        point = self._resume(file, FileState(state.inode, size, state.mtime_ns))
        head = self._head(file)
        if head is None:
            if size and idle and request.candidate.kind != SIDECAR:
                self._trouble(NotATranscript("no line names a session"))
            return "empty", False, False
        root = root_of(head.cwd, self._host.name)
        # A generation that goes on stays in the project that it was admitted to, wherever its folder has moved.
        project = request.prior.project if request.prior is not None else project_id(root)
        ingest = Ingest(
            self._host, request.candidate, head, root, project, self._redactor, point.prior, point.number
        )
        file.seek(point.prior.source_offset if point.prior is not None else 0)
        reached = self._feed(file, ingest, size)
        remembered = state.size if reached == size else reached
        unfinished = False
        for append in ingest.finish(idle, state.inode, remembered, state.mtime_ns):
            self._fill(append)
            last = append.after
            unfinished = bool(last.turn_state) or last.source_offset + last.pending < size
        return "read", unfinished, os.fstat(opened.fileno()).st_size > state.size

    def _stream(self, now_ns: int) -> tuple[str, bool]:
        """Read a stream of rows; its last turn ends when the host's own times say that it is idle."""
        request, prior = self._request, self._request.prior
        stream = request.candidate.owner
        feed = RowFeed(self._host, self._path, stream, prior)
        ingest: Ingest | None = None
        for lines in feed.pages(live=request.live):
            if ingest is None:
                head = feed.head(lines) if prior is None else Head(stream)
                ingest = self._ingest_stream(feed, head, prior)
            for append in ingest.feed(b"".join(lines)):
                self._fill(append)
        last = prior
        if ingest is not None:
            for append in ingest.finish(False, 0, 0, request.version):
                self._fill(append)
                last = append.after
        if last is None:
            return "empty", False
        idle = request.close or now_ns / 1e3 - newest_turn(last.turn_state) >= request.idle_seconds * 1e6
        if last.turn_state and idle:
            ending = self._ingest_stream(feed, Head(stream), last)
            for append in ending.finish(True, 0, 0, request.version):
                self._fill(append)
                last = append.after
        return "unchanged" if last is prior else "read", bool(last.turn_state)

    def _ingest_stream(self, feed: RowFeed, head: Head, prior: Generation | None) -> Ingest:
        root = root_of(head.cwd, self._host.name)
        project = prior.project if prior is not None else project_id(root)
        host = cast("Host", feed)  # of a host an ingest uses the name and the reader alone
        return Ingest(host, self._request.candidate, head, root, project, self._redactor, prior)

    def _unchanged(self, state: FileState, idle: bool) -> bool:
        """Tell whether size and time say that nothing is new, and nothing is left to close."""
        prior = self._request.prior
        if prior is None or self._request.spans is not None:
            return False
        if (state.inode, state.size, state.mtime_ns) != (prior.inode, prior.size, prior.mtime_ns):
            return False
        unfinished = prior.turn_state or prior.source_offset + prior.pending < prior.size
        return not (idle and unfinished)

    def _resume(self, file: BinaryIO, state: FileState) -> ResumePoint:
        """Return where to go on."""
        request = self._request

        def read_at(offset: int, size: int) -> bytes:
            file.seek(offset)
            return file.read(size)

        if request.spans is not None and request.prior is not None and not _same(read_at, request.spans):
            return ResumePoint("new", request.prior.number + 1, None, "its bytes differ")
        return resume_point(request.prior, state, read_at, trust_stat=False)

    def _head(self, file: BinaryIO) -> Head | None:
        """Return what names the transcript; for a companion what names the transcript that it belongs to."""
        candidate = self._request.candidate
        if candidate.kind != SIDECAR:
            return self._host.head(Path(candidate.path), _lines(file))
        owner = Path(candidate.owner)
        try:
            with owner.open("rb") as other:
                return self._host.head(owner, _lines(other))
        except FileNotFoundError:
            return None

    def _feed(self, file: BinaryIO, ingest: Ingest, size: int) -> int:
        """Read up to `size`; return how far the file went (less, when it was cut meanwhile)."""
        at = file.tell()
        while at < size:
            block = file.read(min(BLOCK, size - at))
            if not block:
                break
            at += len(block)
            for append in ingest.feed(block):
                self._fill(append)
        return at

    def _fill(self, append: Append) -> None:
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

    def _trouble(self, error: UnabridgedError) -> None:
        self._troubles.append(Trouble(self._path, 0, error.code, error.message))


def _same(read_at: Callable[[int, int], bytes], spans: list[tuple[int, int, bytes]]) -> bool:
    """Compare the consumed bytes with their digests."""
    return all(hashlib.sha256(read_at(offset, size)).digest() == digest for offset, size, digest in spans)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the first lines of a file, at most 8 MiB of them."""
    file.seek(0)
    left = HEAD_BYTES
    while left > 0 and (line := file.readline(left)):
        left -= len(line)
        yield line


def reader_of(hosts: Mapping[str, Host], request: Read) -> Host:
    """Return the host that a request names."""
    found = hosts.get(request.host)
    if found is None:
        raise NotATranscript("there is no host of that name", host=request.host)
    return found


def companion(candidate: Candidate) -> bool:
    """Tell whether a candidate belongs to a transcript and is none itself."""
    return candidate.kind == SIDECAR
