"""Reads one transcript: the worker's side of an import's second step.

Memory stays bounded: blocks of 1 MiB go in, batches come out, and no more than two batches are unacknowledged.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO

from unabridged.archive.ingest import Ingest, LineRedactor
from unabridged.archive.project import root_of
from unabridged.archive.resume import FileState, ResumePoint, resume_point
from unabridged.daemon.batches import Batches, Receive, Send, Stopped
from unabridged.daemon.census import skip_line
from unabridged.daemon.messages import Read
from unabridged.daemon.streaming import Streaming
from unabridged.errors import NotATranscript, PathUnreadable, TranscriptChanged, UnabridgedError
from unabridged.hosts.contract import Head, Host
from unabridged.schema.ids import project_id

COMPRESSED = ".zst"  # a transcript of that ending is read as a whole, decompressed by its host
BLOCK = 1 << 20  # bytes read at once
HEAD_BYTES = 8 << 20  # bytes of a transcript that its host may look at to name it
SIDECAR, ROWS = "sidecar", "rows"


class Reading:
    """One transcript on its way to the daemon."""

    def __init__(
        self, request: Read, host: Host, redactor: LineRedactor, send: Send, receive: Receive
    ) -> None:
        """Read `request.candidate`."""
        self._request = request
        self._host = host
        self._redactor = redactor
        self._batches = Batches(request.candidate.path, send, receive)
        self._path = request.candidate.path

    def run(self, now_ns: int) -> None:
        """Read to the end that the file had at the start, and say how it went. `now_ns`: the time, for idleness."""
        request = self._request
        outcome, opened, grown = "failed", False, False
        try:
            if request.candidate.kind == ROWS:
                outcome, opened = Streaming(request, self._host, self._redactor, self._batches).read(now_ns)
            else:
                with open(self._path, "rb") as file:
                    outcome, opened, grown = self._read(file, now_ns)
        except Stopped:
            outcome = "stopped"
        except FileNotFoundError:
            self._batches.trouble(TranscriptChanged("the transcript was removed before it was read"))
        except OSError as error:
            self._batches.trouble(PathUnreadable(error.strerror or ""))
        except UnabridgedError as error:
            self._batches.trouble(error)
        self._batches.finish(outcome, opened, grown)

    def _read(self, opened: BufferedReader, now_ns: int) -> tuple[str, bool, bool]:
        request = self._request
        found = os.fstat(opened.fileno())
        state = FileState(found.st_ino, found.st_size, found.st_mtime_ns)
        idle = request.close or now_ns - found.st_mtime_ns >= request.idle_seconds * 1e9
        if request.spans is None and self._nothing_new(state, idle):
            return "unchanged", False, False
        file: BufferedReader | BytesIO = opened
        size = state.size
        if self._path.endswith(COMPRESSED):
            file = BytesIO(self._host.decode(opened.read()))
            size = len(file.getbuffer())
        same = request.spans is None or _same(file, request.spans)
        if same and self._nothing_new(state, idle):
            return "unchanged", False, False
        point = self._resume(file, FileState(state.inode, size, state.mtime_ns), same)
        head = self._head(file)
        if head is None:
            if size and idle and request.candidate.kind != SIDECAR:
                self._batches.trouble(NotATranscript("no line names a session"))
            return "empty", False, False
        root = root_of(head.cwd, self._host.name, apart=request.apart)
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
            self._batches.fill(append)
            last = append.after
            unfinished = bool(last.turn_state) or last.source_offset + last.pending < size
        return "read", unfinished, os.fstat(opened.fileno()).st_size > state.size

    def _nothing_new(self, state: FileState, idle: bool) -> bool:
        """Tell whether size and time say that nothing is new, and nothing is left to close."""
        prior = self._request.prior
        if prior is None:
            return False
        if (state.inode, state.size, state.mtime_ns) != (prior.inode, prior.size, prior.mtime_ns):
            return False
        unfinished = prior.turn_state or prior.source_offset + prior.pending < prior.size
        return not (idle and unfinished)

    def _resume(self, file: BinaryIO, state: FileState, same: bool) -> ResumePoint:
        """Return where to go on; `same`: no byte that was read is known to differ."""
        request = self._request

        def read_at(offset: int, size: int) -> bytes:
            file.seek(offset)
            return file.read(size)

        if not same and request.prior is not None:
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
                self._batches.fill(append)
        return at


def _same(file: BufferedReader | BytesIO, spans: list[tuple[int, int, bytes]]) -> bool:
    """Compare the consumed bytes with their digests."""
    buffer = memoryview(bytearray(BLOCK))  # one for all: new memory for each block costs more than reading it
    for offset, size, expected in spans:
        file.seek(offset)
        digest, left = hashlib.sha256(), size
        while left:
            got = file.readinto(buffer[: min(BLOCK, left)])
            if not got:
                return False
            digest.update(buffer[:got])
            left -= got
        if digest.digest() != expected:
            return False
    return True


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the first lines of a file, at most 8 MiB of them; also what stands behind a first one that is longer."""
    file.seek(0)
    first = file.readline(HEAD_BYTES)
    if not first:
        return
    yield first
    left = HEAD_BYTES - len(first)
    if not left and not first.endswith(b"\n") and skip_line(file):
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
