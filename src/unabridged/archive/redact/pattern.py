"""Compiles the patterns of this package."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

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
    return re2.compile(pattern.encode("latin-1"), _CAPTURING)


def searching(pattern: str) -> Pattern:
    """Compile a pattern of which only the place matters; several times faster."""
    return re2.compile(pattern.encode("latin-1"), _SEARCHING)


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
    compiled = re2.compile(pattern, options)
    try:
        # The wrapper makes a generator, a match, a list for every call: a third of all time on lines of 2 KB.
        native = importlib.import_module("re2._re2").RE2
        match: Any = native(pattern, options).Match
        anchor: Any = native.Anchor.UNANCHORED
    except (ImportError, AttributeError):
        return _slower(compiled)

    def find(text: bytes, at: int, end: int) -> int:
        place: int = match(anchor, text, at, end)[0][0]
        return place

    return find


def _slower(compiled: Pattern) -> Finder:
    def find(text: bytes, at: int, end: int) -> int:
        found = compiled.search(text, at, end)
        return -1 if found is None else found.start()

    return find
