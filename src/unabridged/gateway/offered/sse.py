"""Server-sent events cut out of a stream of bytes, each with its own bytes.

The format is WHATWG's (HTML, section 9.2). An event without data, a comment, is an event here too: it is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

MOST_EVENT = 64 << 20  # bytes; a longer one is passed on in pieces, unread

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(rb"\r\n|\n|\r")


class Event(msgspec.Struct, frozen=True):
    """One event: its bytes as they came, its name, its data (lines joined by a line break)."""

    raw: bytes
    name: str = ""
    data: bytes = b""


class Events:
    """Cuts a stream into events."""

    def __init__(self, mark: bytes = b"") -> None:
        """Begin with nothing; bytes that hold `mark` are given whole or not at all."""
        self._mark = mark
        self._held = bytearray()
        self._looked = 0

    def feed(self, data: bytes) -> Iterator[Event]:
        """Take the next bytes and yield the events that are whole."""
        self._held += data
        while True:
            # The end may be split between two pieces.
            end = _END.search(self._held, max(0, self._looked - 3))
            if end is None:
                self._looked = len(self._held)
                break
            raw = bytes(self._held[: end.end()])
            del self._held[: end.end()]
            self._looked = 0
            yield parsed(raw)
        if len(self._held) > MOST_EVENT:
            yield Event(self.rest())

    def rest(self) -> bytes:
        """Return what came behind the last whole event, and forget it; nothing of ours is let through unread."""
        raw = self.all()
        return b"" if self._mark and self._mark in raw else raw

    def all(self) -> bytes:
        """Return the same, whatever it is."""
        raw = bytes(self._held)
        self._held.clear()
        self._looked = 0
        return raw


def parsed(raw: bytes) -> Event:
    """Return an event of its bytes."""
    name, found = b"", list[bytes]()
    for line in _LINE.split(raw):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            found.append(value)
        elif field == b"event":
            name = value
    return Event(raw, name.decode("utf-8", "replace"), b"\n".join(found))


def written(name: str, data: bytes) -> bytes:
    """Return an event's bytes; the data is JSON on one line."""
    said = b"event: " + name.encode() + b"\n" if name else b""
    return said + b"data: " + data + b"\n\n"
