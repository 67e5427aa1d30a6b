"""Finds the value that a name beside it names where keys have no quotes: in YAML, in tags, in braces of code."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_LINES = 8  # lines of a YAML mapping on either side of its name
MAX_TAG = 512  # bytes of a tag, or of what stands in braces, around its name
MAX_LINE = 1_024  # bytes of a line of YAML

_ATTRIBUTE = re.compile(rb"([A-Za-z_:.-]{1,64}+) {0,8}+= {0,8}+\\*+([\"'])([^\"'<>\\]*+)\\*+\2")
_YAML = re.compile(
    rb"(?:[+]|[ \t]*+[0-9]++(?:\t|\xe2\x86\x92|:))?+([ \t]*+)(- ++)?[\"']?([A-Za-z0-9_.-]++)[\"']?"
    rb":[ \t]++([\"']?)([^\r\n]*+)"
)
_PLAIN = re.compile(rb"([A-Za-z_]{1,64}+) {0,8}+: {0,8}+(\\*+[\"'`])([^\"'`\\{}]*+)\2")

Pair = tuple[bytes, int, int, int]
"""A key, where it begins, where its value begins and ends."""


def pairs_around(text: bytes, at: int, low: int, high: int) -> list[Pair]:
    """Return the members of what holds the key at `at`, which has no quotes: a tag, braces, or a mapping in YAML."""
    found = tag(text, at)
    if found:
        return found
    opened, shut = text.rfind(b"{", max(low, at - MAX_TAG), at), text.find(b"}", at, min(high, at + MAX_TAG))
    found = _with(at, _PLAIN.finditer(text, opened, shut)) if opened >= 0 and shut >= 0 else []
    return found if len(found) > 1 else _mapping(text, at, low, high)


def tag(text: bytes, at: int) -> list[Pair]:
    """Return the attributes of the tag in which the one at `at` stands."""
    opened = text.rfind(b"<", max(0, at - MAX_TAG), at)
    shut = text.find(b">", at, at + MAX_TAG) if opened >= 0 else -1
    return _with(at, _ATTRIBUTE.finditer(text, opened, shut)) if shut >= 0 else []


def _with(at: int, matches: Iterator[re.Match[bytes]]) -> list[Pair]:
    """Return pairs of (key, quote, value), none where no key begins at `at`."""
    found = [(match.group(1), match.start(1), match.start(3), match.end(3)) for match in matches]
    return found if any(start == at for _, start, _, _ in found) else []


def _mapping(text: bytes, at: int, low: int, high: int) -> list[Pair]:
    """Return the members, at one depth and without a gap, of the YAML mapping in which the key at `at` stands."""
    plain, escaped = (
        text.rfind(b"\n", max(low, at - MAX_LINE), at),
        text.rfind(b"\\n", max(low, at - MAX_LINE), at),
    )
    mark = b"\n" if plain > escaped or (plain == escaped and b"\n" in text[at : at + MAX_LINE]) else b"\\n"
    start = max(plain, escaped) + len(mark) if max(plain, escaped) >= 0 else max(low, at - MAX_LINE)
    here = _line(text, start, _line_end(text, at, high, mark))
    if here is None or here.start(3) != at:
        return []
    column = _column(here)
    matches = [here]
    first = here
    for _ in range(MAX_LINES):
        end = start - len(mark)
        start = max(text.rfind(mark, max(low, end - MAX_LINE), max(low, end)) + len(mark), low)
        line = _line(text, start, end) if not first.group(2) and end > low else None
        if line is None or _column(line) != column:
            break
        first = line
        matches.append(line)
    end = _line_end(text, at, high, mark)
    for _ in range(MAX_LINES):
        start, end = end + len(mark), _line_end(text, end + len(mark), high, mark)
        line = _line(text, start, end) if start < high else None
        if line is None or line.group(2) or _column(line) != column:
            break
        matches.append(line)
    return [(line.group(3), line.start(3), *_value_of(line)) for line in matches]


def _line_end(text: bytes, at: int, high: int, mark: bytes) -> int:
    end = text.find(mark, at, min(high, at + MAX_LINE))
    return end if end >= 0 else min(high, at + MAX_LINE)


def _line(text: bytes, start: int, end: int) -> re.Match[bytes] | None:
    while end > start and text[end - 1 : end] == b"\\":  # of a line end that is escaped more than once
        end -= 1
    return _YAML.match(text, start, end)


def _column(line: re.Match[bytes]) -> int:
    return len(line.group(1)) + len(line.group(2) or b"")


def _value_of(line: re.Match[bytes]) -> tuple[int, int]:
    """Return where a line's value stands, without its quotes or a comment behind it."""
    start, body = line.start(5), line.group(5)
    quote = line.group(4)
    end = body.find(quote) if quote else body.find(b" #")
    body = body[:end] if end >= 0 else body
    return start, start + len(body if quote else body.rstrip())
