"""Sessions that a host keeps in a database, read as streams of lines.

A stream has two states that must be kept together: what the host has given, and what the reader of its lines knows.
Both go into the generation record, so that a stream goes on exactly where its last commit ended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from unabridged.archive.turns import OpenTurn
from unabridged.hosts.contract import Head, Host, Line, LineReader
from unabridged.schema.records import Generation

LARGE = 4 << 20  # bytes of lines from which a live look is followed by another one at once


class States(msgspec.Struct, array_like=True):
    """What a stream's generation remembers."""

    given: bytes = b""
    reader: bytes = b""


class StreamReader:
    """A host's reader whose state holds the stream's as well."""

    def __init__(self, inner: LineReader, feed: RowFeed) -> None:
        """Read through `inner`."""
        self._inner = inner
        self._feed = feed

    def read(self, line: bytes, number: int) -> Line:
        """Read a line."""
        return self._inner.read(line, number)

    def state(self) -> bytes:
        """Return both states."""
        return msgspec.msgpack.encode(States(self._feed.given, self._inner.state()))


class RowFeed:
    """One stream of a host, as the host that `archive/ingest` works with."""

    def __init__(self, host: Host, path: str, stream: str, prior: Generation | None) -> None:
        """Go on behind `prior`."""
        states = msgspec.msgpack.decode(prior.reader_state, type=States) if prior else States()
        self._host = host
        self._path = Path(path)
        self._stream = stream
        self.name = host.name
        self.given = states.given

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader that keeps the stream's state with its own."""
        inner = msgspec.msgpack.decode(state, type=States).reader if state else b""
        return StreamReader(self._host.reader(path, head, inner, generation), self)

    def pages(self, *, live: bool) -> Iterator[list[bytes]]:
        """Yield pages of new lines. A page counts as given once the next one is asked for.

        A live look ends behind its first small page, so that rows which the host still changes are left for later.
        """
        while True:
            lines, after = self._host.rows(self._path, self._stream, self.given)
            if lines:
                yield lines
            self.given = after
            if not lines or (live and sum(map(len, lines)) < LARGE):
                return

    def head(self, lines: Iterable[bytes]) -> Head:
        """Return what names the stream; a stream that goes on is named by its id alone."""
        return self._host.head(self._path, lines) or Head(self._stream)


def version_number(version: str) -> int:
    """Return a stream's version as the number that stands for a file's time."""
    return int.from_bytes(hashlib.sha256(version.encode()).digest()[:8], "big") >> 1


def newest_turn(state: bytes) -> int:
    """Return when the newest open turn was last added to, by the host's clock in microseconds; 0 when none is open."""
    turns = msgspec.msgpack.decode(state, type=dict[str, OpenTurn]) if state else {}
    return max((turn.ended for turn in turns.values()), default=0)
