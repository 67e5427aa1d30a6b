"""Decoding of JSON lines with very long strings in little memory.

A decoder unescapes a long string into room of its own before it makes the string: three times the line at once. Here
such strings are cut out first, the small rest is decoded, and each string is decoded piece by piece and put back.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

import msgspec

LONG = 2 << 20  # bytes of a line from which it is looked at, and of a string from which it is cut out
PIECE = 256 << 10  # bytes of a string that are decoded at once
ESCAPE = 12  # bytes of the longest escape, a surrogate pair
CUT_WITHIN = 64 << 10  # bytes in which a place between two characters is looked for

T = TypeVar("T")

_string: msgspec.json.Decoder[str] = msgspec.json.Decoder(str)


def decode(line: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Return what `decoder.decode(line)` returns; raise what it raises.

    Peak memory beside a line of n bytes is about 2 n where most of it is one string.
    """
    if len(line) < LONG:
        return decoder.decode(line)
    spans = _long_strings(line)
    if not spans:
        return decoder.decode(line)
    marks = _marks(line, len(spans))
    if not marks:
        return decoder.decode(line)
    short, last = list[bytes](), 0
    for (start, end), mark in zip(spans, marks, strict=True):
        short += (line[last:start], b'"', mark.encode(), b'"')
        last = end
    short.append(line[last:])
    try:
        value = decoder.decode(b"".join(short))
        texts = {mark: _text(line, *span) for span, mark in zip(spans, marks, strict=True)}
    except msgspec.DecodeError:
        return decoder.decode(line)  # it says what is wrong, and where
    return cast("T", _filled(value, texts))


def _long_strings(line: bytes) -> list[tuple[int, int]]:
    """Return (start, end) of the long strings, their quotes included, in order; what follows an open string is none."""
    found = list[tuple[int, int]]()
    start = line.find(b'"')
    while start >= 0:
        end = _end(line, start + 1)
        if end < 0:
            break
        if end - start > LONG:
            found.append((start, end))
        start = line.find(b'"', end)
    return found


def _end(line: bytes, at: int) -> int:
    """Return the place behind the quote that ends a string, -1 when there is none."""
    while True:
        quote = line.find(b'"', at)
        if quote < 0:
            return -1
        back = quote
        while line[back - 1] == 0x5C:
            back -= 1
        if (quote - back) % 2 == 0:
            return quote + 1
        at = quote + 1


def _marks(line: bytes, count: int) -> list[str]:
    """Return strings that stand nowhere in the line."""
    for salt in range(8):
        stem = f"unabridged-long-string-{salt}-"
        if stem.encode() not in line:
            return [f"{stem}{number}" for number in range(count)]
    return []


def _text(line: bytes, start: int, end: int) -> str:
    """Return the string whose quotes stand at `start` and before `end`."""
    parts, at, last = list[str](), start + 1, end - 1
    while at < last:
        stop = _boundary(line, at + PIECE, last)
        parts.append(_string.decode(b'"%b"' % line[at:stop]))
        at = stop
    return "".join(parts)


def _boundary(line: bytes, at: int, last: int) -> int:
    """Return the first place from `at` where a character begins and no escape is near; `last` when there is none."""
    for place in range(at, min(at + CUT_WITHIN, last)):
        if line[place] & 0xC0 != 0x80 and b"\\" not in line[place - ESCAPE : place + 1]:
            return place
    # Escapes throughout: look in steps, so that a string of nothing else costs no more than one decoding.
    return last if at >= last else _boundary(line, min(last, at + CUT_WITHIN), last)


def _filled(value: Any, texts: dict[str, str]) -> Any:
    """Return the value with the strings put back; containers and structs are changed in place."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        for key, item in list(members.items()):
            members[key] = _filled(item, texts)
            if key in texts:
                members[texts[key]] = members.pop(key)
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        for index, item in enumerate(items):
            items[index] = _filled(item, texts)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            item = getattr(value, name)
            filled = _filled(item, texts)
            if filled is not item:
                msgspec.structs.force_setattr(value, name, filled)
    return cast("Any", value)
