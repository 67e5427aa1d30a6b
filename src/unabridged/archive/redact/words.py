"""Reads the word or quoted string at a place in text."""

from __future__ import annotations

import re

import msgspec

MAX_QUOTED = 4_096  # bytes looked through for the closing quote; further away it closes something else

# Each pattern is one pass over single classes: linear in `re` too, whose calls are cheaper.
_OPEN = re.compile(rb"[bBrRuUfF@$&]{0,2}(\\*)(\"\"\"|'''|[\"'`])")
_NEWLINE = re.compile(rb"[\n\r]")
_SPACES = b" \t"
_STYLES = {
    "code": re.compile(rb"(?:[^\s\"'`,;)}\]<>|&\\]++|\\[^nrtbf\"'`\\u\s])++"),
    "literal": re.compile(rb"(?:[^\s\"'`;<>\\]++|\\[^nrtbf\"'`\\u\s])++"),
    "query": re.compile(rb"[^\s\"'`;<>&#\\]++"),
}
_SHUT = b",.)]}:!?"  # what a sentence, a list, a call puts behind a word
_SHUT_LITERAL = b",.)]}:?"  # a person's password ends in `!` more often than a sentence about it


class Word(msgspec.Struct, frozen=True):
    """A value in text: its bytes without quotes, whether it was quoted, whether it went on behind the text's end."""

    start: int
    end: int
    quoted: bool = False
    interpolated: bool = False
    """An f-string or the like, in which braces hold expressions."""
    open_end: bool = False
    """The closing quote, or the end of the word, was not seen."""
    short: bool = False
    """With more text the word may be another one."""


def skip_spaces(text: bytes, at: int) -> int:
    """Return the next place that is no blank (spaces, tabs, escaped tabs)."""
    size = len(text)
    while at < size:
        if text[at] in _SPACES:
            at += 1
        elif text.startswith(b"\\t", at):
            at += 2
        else:
            break
    return at


def first_line(value: bytes) -> bytes:
    """Return what stands before the first line end."""
    return value.partition(b"\n")[0].rstrip(b"\r")


def read(text: bytes, at: int, style: str = "code") -> Word:
    """Read the value at `at`. `style`: `code` stops at commas, brackets; `literal` at spaces; `query` at `&`, `#`."""
    match = _OPEN.match(text, at)
    if match is not None:
        return _quoted(text, match.start(), match.end(), len(match.group(1)), match.group(2))
    match = _STYLES[style].match(text, at, min(len(text), at + MAX_QUOTED))
    if match is None:
        return Word(at, at)
    end = match.end()
    open_end = end == len(text)
    shut = _SHUT_LITERAL if style == "literal" else _SHUT
    while end > at and text[end - 1] in shut and not _is_call(text, at, end):
        end -= 1
    return Word(at, end, open_end=open_end, short=open_end)


def _is_call(text: bytes, start: int, end: int) -> bool:
    """A closing bracket stays with a word that opens one: `get(x)`."""
    close = text[end - 1 : end]
    opening = {b")": b"(", b"]": b"[", b"}": b"{"}.get(close)
    return opening is not None and opening in text[start:end]


def _quoted(text: bytes, start: int, at: int, depth: int, quote: bytes) -> Word:
    interpolated = text[start : start + 1] in (b"f", b"F", b"$") or quote == b"`"
    limit = min(len(text), at + MAX_QUOTED)
    end = _closing(text, at, limit, depth, quote)
    if end >= 0:
        return Word(at, end, True, interpolated)
    short = limit == len(text)
    line = _NEWLINE.search(text, at, limit)
    if line is not None:
        return Word(at, line.start(), True, interpolated, short=short)
    return Word(at, limit, True, interpolated, open_end=short, short=short)


def _closing(text: bytes, at: int, limit: int, depth: int, quote: bytes) -> int:
    """Find the quote that closes a string opened behind `depth` backslashes; -1 where there is none."""
    found = text.find(quote, at, limit)
    while found >= 0:
        before = found
        while before > at and text[before - 1] == 0x5C:
            before -= 1
        if closes(depth, found - before):
            # The closing quote's own backslashes belong to it, the rest to the value.
            return max(at, found - min(depth, found - before))
        found = text.find(quote, found + 1, limit)
    return -1


def closes(depth: int, backslashes: int) -> bool:
    """Tell whether a quote behind so many backslashes ends a string that was opened behind `depth` of them.

    Each level of JSON in a string turns n backslashes and a quote into 2n+1 and a quote.
    """
    while depth > 0:
        if backslashes % 2 == 0:
            return True  # it closes a string around this one
        depth, backslashes = (depth - 1) // 2, (backslashes - 1) // 2
    return backslashes % 2 == 0
