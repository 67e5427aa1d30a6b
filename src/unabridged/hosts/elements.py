"""Elements of a JSON document of any size, in bounded memory.

Some hosts write a conversation, or all of them, as one document, which may be larger than memory. Here such a document
is cut into the members of its object, the elements of its array, or the elements of chosen arrays inside its object.
What is given is the exact JSON text; nothing is decoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple, Protocol

import msgspec

BLOCK = 1 << 20  # bytes read at once
TOO_LONG = 48 << 20  # bytes; the text of a longer element is left out, so that a reader stays below 64 MiB
MAX_NAME = 64 << 10  # bytes of a member's name
AT_ONCE = 8 << 20  # bytes of a value that are read before it is scanned piece by piece

SPACE = b" \t\r\n"
_SPACE = re.compile(rb"[ \t\r\n\x00\xef\xbb\xbf]*")
_STRUCTURE = re.compile(rb'["{}\[\]]')
_STRING = re.compile(
    rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL
)  # possessive: nothing is remembered to go back to
_SCALAR = re.compile(rb"[^,\]}\s]*")
# What the decoder says of a value that goes on, and of one with something behind it: that byte's number, from 1.
TORN = "truncated"
_BEHIND = re.compile(r"trailing characters \(byte (\d+)\)")


class Torn(ValueError):
    """The document is not JSON from here on: it is being written, was cut off, or is something else."""


class Bytes(Protocol):
    """What is read from: a file, a member of an archive."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""
        ...


class Element(NamedTuple):
    """A member of the document's object (`place` -1), or an element of an array.

    name: the member, or the member whose array it stands in; "" for an element of a document that is an array.
    data: its exact JSON text; b"" when it has more than the limit's bytes.
    size: bytes of that text. offset, end: where it begins in the document, and what is behind it.
    """

    name: str
    place: int
    data: bytes
    size: int
    offset: int = 0
    end: int = 0


def elements(file: Bytes, inside: Collection[str] = (), limit: int = TOO_LONG) -> Iterator[Element]:
    """Yield a document's members and elements in their order; arrays of members named in `inside` one by one.

    Raises `Torn` behind the last whole one where the document is damaged; a document that is a single value, or none,
    has no elements. Peak memory is a block and three times the longest element that is given.
    """
    return _Document(file, limit).elements(inside)


def following(
    file: Bytes, last: Element, inside: Collection[str] = (), limit: int = TOO_LONG
) -> Iterator[Element]:
    """Yield what stands behind an element, as `elements` does; the file stands at its `end`."""
    return _Document(file, limit, last.end).following(last, inside)


class _Document:
    """A place in a document."""

    def __init__(self, file: Bytes, limit: int, offset: int = 0) -> None:
        self._file = file
        self._limit = limit
        self._buffer = b""
        self._at = 0
        self._base = offset  # of the buffer in the document

    def elements(self, inside: Collection[str]) -> Iterator[Element]:
        opening = self._peek()
        if opening == b"[":
            yield from self._array("")
        elif opening == b"{":
            yield from self._members(inside, self._opened(b"}"))
        elif opening:
            self._value()
        self._finish()

    def following(self, last: Element, inside: Collection[str]) -> Iterator[Element]:
        if last.place >= 0:
            yield from self._elements(last.name, last.place + 1, self._parted(b"]"))
        if last.place < 0 or last.name:
            yield from self._members(inside, self._parted(b"}"))
        self._finish()

    def _finish(self) -> None:
        if self._peek():
            raise Torn("something stands behind the document")

    def _array(self, name: str) -> Iterator[Element]:
        yield from self._elements(name, 0, self._opened(b"]"))

    def _elements(self, name: str, first: int, parts: Iterator[None]) -> Iterator[Element]:
        for place, _ in enumerate(parts, first):
            yield Element(name, place, *self._value(), self._base + self._at)

    def _members(self, inside: Collection[str], parts: Iterator[None]) -> Iterator[Element]:
        for _ in parts:
            name = self._name()
            if name in inside and self._peek() == b"[":
                yield from self._array(name)
            else:
                yield Element(name, -1, *self._value(), self._base + self._at)

    def _opened(self, closing: bytes) -> Iterator[None]:
        """Stop before each part of a container, whose beginning is at hand; go behind its end."""
        self._at += 1
        if self._peek() == closing:
            self._at += 1
            return
        yield
        yield from self._parted(closing)

    def _parted(self, closing: bytes) -> Iterator[None]:
        """Stop before each further part of a container; go behind its end."""
        while True:
            mark = self._peek()
            if mark not in (b",", closing):
                raise Torn("a comma is missing")
            self._at += 1
            if mark == closing:
                return
            yield

    def _name(self) -> str:
        if self._peek() != b'"':
            raise Torn("a name is missing")
        text, size, _ = self._value()
        try:
            name = json.loads(text) if size <= MAX_NAME else ""
        except ValueError:
            raise Torn("a name is not JSON") from None
        if self._peek() != b":":
            raise Torn("a colon is missing")
        self._at += 1
        return str(name)

    # --- values -----------------------------------------------------------------------------------------------------

    def _value(self) -> tuple[bytes, int, int]:
        """Return the text of the value that begins at the next character, its size and place; go behind it."""
        opening = self._peek()
        offset = self._base + self._at
        if opening not in (b'"', b"{", b"["):
            return (*self._scalar(opening), offset)
        end = self._end()
        if end is not None:
            start, self._at = self._at, end
            size = end - start
            return self._buffer[start:end] if size <= self._limit else b"", size, offset
        parts, size = list[bytes](), 0
        depth, in_string = 0, False
        while True:
            start = self._at
            depth, in_string, over = self._scan(depth, in_string)
            size += self._at - start
            if size <= self._limit:
                parts.append(self._buffer[start : self._at])
            else:
                parts.clear()
            if over:
                return b"".join(parts), size, offset
            self._more()

    def _end(self) -> int | None:
        """Return where the value at hand ends in the buffer; None where that is not found quickly.

        The decoder passes over a value fifty times as fast as a scan in Python, and says where it stopped.
        """
        while True:
            try:
                msgspec.json.decode(memoryview(self._buffer)[self._at :], type=msgspec.Raw)
                return self._without_space(len(self._buffer))
            except RecursionError:
                return None
            except msgspec.DecodeError as error:
                said = str(error)
            behind = _BEHIND.search(said)
            if behind:
                return self._without_space(self._at + int(behind[1]) - 1)
            if TORN not in said or len(self._buffer) - self._at > AT_ONCE or not self._read():
                return None

    def _without_space(self, end: int) -> int:
        while self._buffer[end - 1] in SPACE:
            end -= 1
        return end

    def _scan(self, depth: int, in_string: bool) -> tuple[int, bool, bool]:
        """Go on to the end of the value or of what has been read; tell which."""
        buffer, at = self._buffer, self._at
        while True:
            if in_string:
                found = _STRING.match(buffer, at)
                at = found.end() if found else at
                if buffer[at : at + 1] != b'"':  # the end of what was read, or half of an escape before it
                    self._at = at
                    return depth, True, False
                in_string = False
                at += 1
            else:
                mark = _STRUCTURE.search(buffer, at)
                if mark is None:
                    self._at = len(buffer)
                    return depth, False, False
                at = mark.end()
                found = mark[0]
                if found == b'"':
                    in_string = True
                    continue
                depth += 1 if found in b"{[" else -1
            if not depth:
                self._at = at
                return 0, False, True

    def _scalar(self, opening: bytes) -> tuple[bytes, int]:
        if opening in b",:]}":
            raise Torn("a value is missing")
        text = b""
        while True:
            found = _SCALAR.match(self._buffer, self._at)
            text += found[0] if found else b""
            self._at = found.end() if found else self._at
            if self._at < len(self._buffer) or len(text) > MAX_NAME:
                return text, len(text)
            if not self._read():
                return text, len(text)

    # --- bytes ------------------------------------------------------------------------------------------------------

    def _peek(self) -> bytes:
        """Return the next character behind white space, b"" at the end."""
        while True:
            found = _SPACE.match(self._buffer, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._read():
                return b""

    def _more(self) -> None:
        if not self._read():
            raise Torn("the document ends within a value")

    def _read(self) -> bool:
        block = self._file.read(BLOCK)
        self._buffer = self._buffer[self._at :] + block
        self._base += self._at
        self._at = 0
        return bool(block)
