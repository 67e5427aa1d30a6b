"""Compiles the patterns of this package."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import msgspec
import re2

Finder = Callable[[bytes, int, int], int]
MAX_MEMORY = (
    64 << 20
)  # bytes for the automaton of one pattern; too little makes RE2 fall back to a far slower engine


class Match(Protocol):
    """One match in bytes."""

    def start(self, group: int = 0) -> int:
        """Offset of the first byte; -1 for a group that took no part."""
        ...

    def end(self, group: int = 0) -> int:
        """Offset behind the last byte."""
        ...

    def group(self, group: int | str = 0, /) -> bytes:
        """Return what was matched."""
        ...

    def groups(self) -> tuple[bytes | None, ...]:
        """Return every group from 1."""
        ...


class Pattern(Protocol):
    """A compiled pattern over bytes."""

    def search(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None:
        """Find the first match."""
        ...

    def match(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None:
        """Match at `pos`."""
        ...

    def fullmatch(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None:
        """Match all from `pos` to `endpos`."""
        ...

    def finditer(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Iterator[Match]:
        """Find every match."""
        ...

    def sub(self, repl: bytes, text: bytes) -> bytes:
        """Replace every match."""
        ...

    @property
    def groupindex(self) -> dict[Any, int]:
        """Numbers of the named groups; the names are bytes, as the pattern is."""
        ...


def _options(*, capture: bool) -> re2.Options:
    options = re2.Options()
    # Bytes, not characters: transcripts hold bytes that are no UTF-8, while every rule is ASCII.
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    options.never_capture = not capture
    return options


_CAPTURING = _options(capture=True)
_SEARCHING = _options(capture=False)


def capturing(pattern: str) -> Pattern:
    """Compile a pattern whose groups are wanted."""
    return _direct(pattern, _CAPTURING)


def searching(pattern: str) -> Pattern:
    """Compile a pattern of which only the place matters; several times faster."""
    return _direct(pattern, _SEARCHING)


class _Found(msgspec.Struct, frozen=True):
    """A match: the text, and where each group stands in it."""

    text: bytes
    spans: list[tuple[int, int]]

    def start(self, group: int = 0) -> int:
        return self.spans[group][0]

    def end(self, group: int = 0) -> int:
        return self.spans[group][1]

    def group(self, group: int | str = 0, /) -> bytes:
        start, end = self.spans[int(group)]  # no pattern here names its groups
        return self.text[start:end]

    def groups(self) -> tuple[bytes | None, ...]:
        return tuple(self.text[start:end] if start >= 0 else None for start, end in self.spans[1:])


class _Direct:
    """A pattern without the wrapper's generator around every look: this package takes many short ones.

    It is compiled when it is first used: most of the rules' patterns never are, in the life of most processes.
    """

    def __init__(self, pattern: bytes, options: re2.Options) -> None:
        self._pattern = pattern
        self._options = options
        self._wrapped: Pattern | None = None
        self._match: Any = None
        self._anywhere: Any = None
        self._start: Any = None
        self._both: Any = None

    def search(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None:
        if self._match is None and not self._compile():
            return self._whole().search(text, pos, endpos)
        return self._found(self._anywhere, text, pos, endpos)

    def match(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None:
        if self._match is None and not self._compile():
            return self._whole().match(text, pos, endpos)
        return self._found(self._start, text, pos, endpos)

    def fullmatch(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None:
        if self._match is None and not self._compile():
            return self._whole().fullmatch(text, pos, endpos)
        return self._found(self._both, text, pos, endpos)

    def finditer(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Iterator[Match]:
        return self._whole().finditer(text, pos, endpos)

    def sub(self, repl: bytes, text: bytes) -> bytes:
        return self._whole().sub(repl, text)

    @property
    def groupindex(self) -> dict[Any, int]:
        return self._whole().groupindex

    def _whole(self) -> Pattern:
        """Return the pattern as the wrapper has it."""
        if self._wrapped is None:
            self._wrapped = re2.compile(self._pattern, self._options)
        return self._wrapped

    def _compile(self) -> bool:
        """Compile the pattern; tell whether the wrapper lets us have its own object."""
        native = _native(self._pattern, self._options)
        if native is None:
            return False
        anchor: Any = native.Anchor
        self._anywhere, self._start, self._both = anchor.UNANCHORED, anchor.ANCHOR_START, anchor.ANCHOR_BOTH
        self._match = native.Match
        return True

    def _found(self, anchor: Any, text: bytes, pos: int | None, endpos: int | None) -> Match | None:
        size = len(text)
        end = size if endpos is None or endpos > size else endpos
        spans: list[tuple[int, int]] = self._match(anchor, text, pos or 0, end)
        return _Found(text, spans) if spans[0][0] >= 0 else None


def _direct(pattern: str, options: re2.Options) -> Pattern:
    return _Direct(pattern.encode("latin-1"), options)


def _native(pattern: bytes, options: re2.Options) -> Any:
    """Return the wrapper's own object, None where it has none of this name."""
    try:
        return importlib.import_module("re2._re2").RE2(pattern, options)
    except (ImportError, AttributeError):
        return None


def finder(pattern: str) -> Finder:
    """Compile a pattern of which only the place of the first match matters, at the least cost per call.

    Returns a function of (text, at, end): the offset of the first match in `text[at:end]`, or -1.
    """
    return _finder(pattern.encode("latin-1"), _SEARCHING)


def text_finder(pattern: str, memory: int) -> Finder:
    """Do so for a pattern over characters in UTF-8, whose automaton may take `memory` bytes. Raises re2.error."""
    options = _options(capture=False)
    options.encoding = re2.Options.Encoding.UTF8
    options.max_mem = memory
    return _finder(pattern.encode(), options)


def _finder(pattern: bytes, options: re2.Options) -> Finder:
    native = _native(pattern, options)
    if native is None:
        return _slower(re2.compile(pattern, options))
    match: Any = native.Match
    anchor: Any = native.Anchor.UNANCHORED

    def find(text: bytes, at: int, end: int) -> int:
        place: int = match(anchor, text, at, end)[0][0]
        return place

    return find


def _slower(compiled: Pattern) -> Finder:
    def find(text: bytes, at: int, end: int) -> int:
        found = compiled.search(text, at, end)
        return -1 if found is None else found.start()

    return find
