"""Private keys of which every line is a string of its own: hosts keep patches as lists of lines."""

from __future__ import annotations

import re

from unabridged.archive.redact import jsontext
from unabridged.archive.redact.rule import Span

MAX_LINES = (
    1_024  # strings behind a key's first line that are looked at; a key of 16,384 bits has a fifth of them
)
MAX_LINE = 512  # bytes of one of them
MIN_BODY = 40  # bytes of base64 that one of them must have: a list of words is no key

_BEGINS = re.compile(rb"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?[ \r]*(?:\\r)?\Z")
_ENDS = re.compile(rb"[ +-]?-----? ?END ")
_LINE = re.compile(rb"([ +-]?)([A-Za-z0-9+/=]*)\r?|[ +-]?[A-Za-z-]+: [^\n]*")


def key_lines(data: bytes, start: int, end: int) -> list[Span]:
    """Return the lines of the key that the string `data[start:end]`, of a JSON list, begins."""
    if _BEGINS.search(data, max(start, end - MAX_LINE), end) is None:
        return []
    spans: list[Span] = []
    longest = 0
    for _ in range(MAX_LINES):
        comma = jsontext.skip_blanks(data, end + 1)
        quote = jsontext.skip_blanks(data, comma + 1)
        if data[comma : comma + 1] != b"," or data[quote : quote + 1] != b'"':
            break
        start, end = quote + 1, jsontext.string_end(data, quote + 1)
        if not start <= end <= start + MAX_LINE:
            break
        text = jsontext.decode(data[start:end])
        line = None if _ENDS.match(text) else _LINE.fullmatch(text)
        if line is None:
            break
        if line.group(2):
            prefix = line.group(1)
            spans.append(
                Span(
                    start + data.startswith(prefix, start) * len(prefix),
                    end,
                    "pem-private-key",
                    "private-key",
                )
            )
            longest = max(longest, len(line.group(2)))
    return spans if longest >= MIN_BODY else []
