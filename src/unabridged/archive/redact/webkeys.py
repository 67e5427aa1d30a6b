"""Finds the private members of a JSON web key (RFC 7517, RFC 7518 chapter 6), as JSON, YAML, or code."""

from __future__ import annotations

import re

from unabridged.archive.redact import examples
from unabridged.archive.redact.rule import Span
from unabridged.archive.redact.seen import Seen

LOOK_AROUND = 8_192  # bytes on both sides of its type: an RSA key of 8,192 bits has all its members there

_TYPE = re.compile(rb"kty(?:\\*[\"'])?[ \t]*:[ \t]*(?:\\*[\"'])?(RSA|EC|OKP|oct|AKP)\b")
_MEMBER = re.compile(
    rb"(?<![A-Za-z0-9_-])(d|p|q|dp|dq|qi|k|r|t|priv)(?:\\*+[\"'])?(?:[ \t\r\n]|\\++[nrt])*+:(?:[ \t\r\n]|\\++[nrt])*+"
    rb"(?:\\*+[\"'])?([A-Za-z0-9_-]{20,}+)"
)
_OTHER_PRIMES = re.compile(rb"\[(?:[ \t\r\n]|\\+[nrt])*\Z")
_BLANK_LINE = re.compile(rb"\n[ \t]*+\r?\n|\\n[ \t]*+(?:\\r)?\\n|\n---|\\n---")


def private_members(text: bytes, at: int, seen: Seen) -> tuple[list[Span], bool]:
    """Find the private members of the key whose type stands at `at`.

    Also tells whether the key goes on behind the text's end.
    """
    kind = _TYPE.match(text, at)
    if kind is None or seen.is_read("kty", at):
        return [], False
    low, high = max(0, at - LOOK_AROUND), min(len(text), at + LOOK_AROUND)
    opened, shut = text.rfind(b"{", low, at), text.find(b"}", at, high)
    start, end = (opened if opened >= 0 else low), (shut if shut >= 0 else high)
    another = text.find(b"{", at, end)
    if another >= 0 and _OTHER_PRIMES.search(text, max(at, another - 32), another) is None:
        end = another
    if opened < 0 or shut < 0 or end == another:
        # As YAML: a block without an empty line.
        for edge in _BLANK_LINE.finditer(text, start, at):
            start = edge.end()
        edge = _BLANK_LINE.search(text, at, end)
        end = edge.start() if edge is not None else end
    seen.read("kty", end)
    symmetric = kind.group(1) == b"oct"
    spans = [
        Span(match.start(2), match.end(2), "json-web-key-object", "private-key")
        for match in _MEMBER.finditer(text, start, end)
        if (match.group(1) == b"k") == symmetric and not examples.is_masked(match.group(2))
    ]
    return spans, shut < 0 and end == high == len(text)
