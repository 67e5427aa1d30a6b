"""What the daemon and its ingest workers say to each other."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from unabridged.archive.admission import Append
from unabridged.archive.capture import Row, Stream
from unabridged.hosts.contract import Candidate
from unabridged.index.feed import Feed
from unabridged.schema.records import Generation


class Find(msgspec.Struct, tag=True, array_like=True):
    """Look for transcripts: at `paths`, or with none where each host keeps its own."""

    paths: list[str]
    hosts: list[str]
    env: dict[str, str]
    home: str
    platform: str
    only: list[str] = []  # real paths; not empty: nothing else is looked into
    # Of known files by real path: host, inode, size, time. One that is as it was is not looked into again.
    stats: dict[str, tuple[str, int, int, int]] = {}
    projects: list[str] = []  # roots of known projects, where some hosts keep sessions


class Read(msgspec.Struct, tag=True, array_like=True):
    """Read one transcript from where `prior` ended.

    close: nobody writes it any more, so its open turn ends. spans: (offset, size, SHA-256) of what was consumed, to be
    compared before the file's size and time are believed; None: they are believed.
    """

    host: str
    candidate: Candidate
    prior: Generation | None
    idle_seconds: float
    literals: list[str] = []
    patterns: list[str] = []
    redact: bool = True
    close: bool = False
    live: bool = False  # a stream's unfinished rows may wait for a later look
    version: int = 0  # of a stream, what a file's time is
    spans: list[tuple[int, int, bytes]] | None = None
    apart: bool = False  # a worktree of git is a project of its own


class Take(msgspec.Struct, tag=True, array_like=True):
    """Read items of a conversation behind `prior`."""

    stream: Stream
    rows: list[Row]
    prior: Generation | None
    redact: bool = True
    literals: list[str] = []
    patterns: list[str] = []


class Analyse(msgspec.Struct, tag=True, array_like=True):
    """Make the windows of a stretch of the log."""

    feed: Feed


class Ack(msgspec.Struct, tag=True, array_like=True):
    """A batch is durable; with `stop` the reader ends here."""

    stop: bool = False


class Found(msgspec.Struct, array_like=True):
    """A transcript, with what the file system says of it."""

    host: str
    candidate: Candidate
    inode: int
    size: int
    mtime_ns: int


class Trouble(msgspec.Struct, array_like=True):
    """Something that could not be read: path, line (0: the whole file), code, message without content."""

    path: str
    line: int
    code: str
    message: str


class FoundSome(msgspec.Struct, tag=True, array_like=True):
    """Some of what was found; `last` ends the answer to `Find`."""

    files: list[Found]
    troubles: list[Trouble]
    last: bool = False


class Filled(msgspec.Struct, tag=True, array_like=True):
    """A batch to commit; `consumed` is how many bytes of the file it stands for."""

    append: Append
    consumed: int


class Finished(msgspec.Struct, tag=True, array_like=True):
    """The end of a transcript. outcome: "unchanged", "read", "empty" (nothing names it yet), "stopped", "failed".

    open: a turn is still open, or a last line unfinished. grown: the file grew meanwhile; there is more to read.
    """

    outcome: str
    troubles: list[Trouble]
    open: bool = False
    grown: bool = False


class Analysed(msgspec.Struct, tag=True, array_like=True):
    """The answer to `Analyse`: an encoded `index.making.Made`, which the daemon hands on as it is."""

    made: bytes


class Broken(msgspec.Struct, tag=True, array_like=True):
    """A fault in the worker itself: the exception's type and the places that it passed."""

    kind: str
    places: list[str]


Command = Find | Read | Take | Analyse | Ack
Report = FoundSome | Filled | Finished | Analysed | Broken

_encoder = msgspec.msgpack.Encoder()
_commands = msgspec.msgpack.Decoder(Command)
_reports = msgspec.msgpack.Decoder(Report)

M = TypeVar("M", bound=msgspec.Struct)


def encode(message: msgspec.Struct) -> bytes:
    """Return a message's bytes."""
    return _encoder.encode(message)


def command(data: bytes | bytearray) -> Command:
    """Read what the daemon says."""
    return _commands.decode(data)


def report(data: bytes | bytearray) -> Report:
    """Read what a worker says."""
    return _reports.decode(data)
