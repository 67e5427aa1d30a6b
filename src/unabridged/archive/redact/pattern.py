"""Compiles the patterns of this package."""

from __future__ import annotations

import re2

MAX_MEMORY = 64 << 20  # bytes for the automaton of one pattern; too little makes RE2 fall back to a far slower engine


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


def capturing(pattern: str) -> re2._Regexp[bytes]:
    """Compile a pattern whose groups are wanted."""
    return re2.compile(pattern.encode("latin-1"), _CAPTURING)


def searching(pattern: str) -> re2._Regexp[bytes]:
    """Compile a pattern of which only the place matters; several times faster."""
    return re2.compile(pattern.encode("latin-1"), _SEARCHING)


def screening(pattern: str) -> re2.Set:
    """Compile a pattern that only answers yes or no, at the least cost per call."""
    screen = re2.Set.SearchSet(_SEARCHING)
    screen.Add(pattern.encode("latin-1"))
    screen.Compile()
    return screen
