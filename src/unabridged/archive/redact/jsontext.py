"""Strings inside of JSON text: where they are, what they decode to, where a decoded place came from."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from unabridged.archive.redact.pattern import finder

BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
STRETCH = 2_048  # bytes within which places are looked for escape by escape
MAX_ESCAPE = 12  # bytes of the longest escape, a pair of `\uXXXX`

_HEX4 = re.compile(
    rb"\\u([0-9a-fA-F]{4})(?:(?<=\\u[dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2}))?"
)
_ESCAPE = re.compile(
    rb"\\(?:u[0-9a-fA-F]{4}(?:(?<=\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})?|.)", re.DOTALL
)
_SHORT = (
    (b"\\n", b"\n"),
    (b'\\"', b'"'),
    (b"\\t", b"\t"),
    (b"\\/", b"/"),
    (b"\\r", b"\r"),
    (b"\\b", b"\b"),
    (b"\\f", b"\f"),
)
_DECODER = json.JSONDecoder(strict=False)  # hosts write control characters unescaped
_BACKSLASH = 0x5C
# The character before a quote that no backslash escapes, or before its even number of backslashes.
_UNESCAPED_QUOTE = finder(r'[^\\](?:\\\\)*"')
_STRING = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)


def documents_end(line: bytes, hint: int | None = None) -> int:
    """Return where the JSON documents at the head of a line end: its length when it is JSON throughout, 0 when none is.

    `hint` is the end of the first document, from a reader that has found it already.
    """
    start = len(BOM) if line.startswith(BOM) else 0
    at = start
    if hint is not None and start < hint < len(line) and _is_document(line[start:hint]):
        at = hint
    rest = line[at:] if at else line
    if not rest.strip(_BLANKS) or _is_document(rest):
        return len(line)
    return _glued(line, at)


def _is_document(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _glued(line: bytes, at: int) -> int:
    """Read document after document; the fallback for the few lines that are not exactly one."""
    decode = _DECODER.raw_decode
    text = line.decode(
        "latin-1"
    )  # one character a byte: offsets stay, and bytes that are no UTF-8 do not matter
    size = len(text)
    while True:
        while at < size and line[at] in _BLANKS:
            at += 1
        if at == size:
            return size
        try:
            value, end = decode(text, at)
        except (ValueError, RecursionError):
            return at if at > len(BOM) else 0
        # Numbers and words end anywhere, so text that begins with a digit would pass for documents.
        if not isinstance(value, (dict, list)):
            return size if end == size else (at if at > len(BOM) else 0)
        at = end


def is_escaped(data: bytes, at: int) -> bool:
    """Tell whether an odd number of backslashes stands before `at`."""
    before = at
    while before > 0 and data[before - 1] == 0x5C:
        before -= 1
    return (at - before) % 2 == 1


def string_around(data: bytes, at: int, low: int) -> tuple[int, int]:
    """Return (first byte, end) of the content of the string that holds `at`; `low` lies outside any string before it.

    `data` must be JSON there. (-1, -1) when `at` is in no string.
    """
    start = data.rfind(b'"', low, at)
    while start > low and data[start - 1] == _BACKSLASH:
        if data[start - 2] == _BACKSLASH and not is_escaped(data, start):
            break
        start = data.rfind(b'"', low, start)
    if start < low:
        return -1, -1
    end = string_end(data, at)
    return (start + 1, end) if end >= at else (-1, -1)


def string_end(data: bytes, at: int) -> int:
    """Return the place of the quote that closes the string whose content begins at `at`; -1 where there is none."""
    if data[at : at + 1] == b'"':
        return at
    while at > 0 and data[at - 1] == _BACKSLASH:
        at -= 1  # the pattern needs what stands before backslashes
    before = _UNESCAPED_QUOTE(data, max(at - 1, 0), len(data))
    return data.find(b'"', before + 1) if before >= 0 else -1


def skip_blanks(data: bytes, at: int) -> int:
    """Return the next place that is no white space."""
    size = len(data)
    while at < size and data[at] in _BLANKS:
        at += 1
    return at


def value_after(data: bytes, end: int) -> int:
    """Return where the value begins when the string that ends at `end` is a key, else -1."""
    at = skip_blanks(data, end + 1)
    if data[at : at + 1] != b":":
        return -1
    return skip_blanks(data, at + 1)


def key_before(data: bytes, start: int) -> bytes:
    """Return the raw key of the value whose string content begins at `start`; empty in arrays."""
    left = data[max(0, start - 129) : start - 1].rstrip(_BLANKS)
    if not left.endswith(b":"):
        return b""
    left = left[:-1].rstrip(_BLANKS)
    if not left.endswith(b'"'):
        return b""
    return left[left.rfind(b'"', 0, len(left) - 1) + 1 : -1]


def safe_start(data: bytes, at: int, low: int) -> int:
    """Return the greatest place ≤ `at` (≥ `low`) that is not within an escape, a surrogate pair, or a character."""
    place = data.find(b"\\", max(low, at - MAX_ESCAPE), at)
    if place < 0:
        while low < at < len(data) and data[at] & 0xC0 == 0x80:
            at -= 1
        return at
    while place > low and data[place - 1] == _BACKSLASH:
        place -= 1
    while place < at:
        escape = _ESCAPE.match(data, place)
        end = escape.end() if escape is not None else place + 1
        if end > at:
            return place
        place = end
    return at


def decode(raw: bytes) -> bytes:
    """Decode a string's content to bytes; what is no UTF-8, and lone surrogates (as three bytes), stay."""
    if b"\\" not in raw:
        return raw
    try:
        return _DECODER.raw_decode(f'"{raw.decode()}"')[0].encode("utf-8", "surrogatepass")
    except ValueError:
        return b"\\".join(map(_plain, raw.split(b"\\\\")))


def texts(line: bytes) -> bytes | None:
    """Return all strings of a JSON line, decoded, a line end between them; None where the line is not one document."""
    try:
        value: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    found: list[str] = []
    rest = [value]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            members: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
            found.extend(members)
            rest.extend(members.values())
        elif isinstance(value, list):
            rest.extend(value)  # pyright: ignore[reportUnknownArgumentType]
    return "\n".join(found).encode("utf-8", "surrogatepass")


def flattened(line: bytes) -> bytes:
    """Decode all strings of a JSON line at once, for searching only: quotes around strings become line ends."""
    pieces = (
        piece.replace(b'\\"', b"\x01").replace(b'"', b"\n").replace(b"\x01", b'"')
        for piece in line.split(b"\\\\")
    )
    return b"\\".join(map(_plain, pieces))


def _plain(piece: bytes) -> bytes:
    if b"\\" not in piece:
        return piece
    for escape, plain in _SHORT:
        piece = piece.replace(escape, plain)
    return _HEX4.sub(_character, piece) if b"\\u" in piece else piece


def _character(match: re.Match[bytes]) -> bytes:
    code = int(match.group(1), 16)
    if match.group(2) is not None:
        code = 0x10000 + ((code & 0x3FF) << 10) + (int(match.group(2), 16) & 0x3FF)
    return chr(code).encode("utf-8", "surrogatepass")


def raw_places(raw: bytes, places: list[int]) -> list[int]:
    """Map ascending offsets in `decode(raw)` to offsets in `raw`; one within a character maps to its beginning."""
    if b"\\" not in raw:
        return list(places)
    out: list[int] = []
    begin = before = 0  # of the stretch at hand, in `raw` and decoded
    end, size = _stretch(raw, 0)
    at = 0
    while at < len(places):
        while places[at] >= before + size and end < len(raw):
            begin, before = end, before + size
            end, size = _stretch(raw, begin)
        last = at
        while last < len(places) and (places[last] < before + size or end == len(raw)):
            last += 1
        within = _places_within(raw[begin:end], [place - before for place in places[at:last]])
        out += [begin + place for place in within]
        at = last
    return out


def _stretch(raw: bytes, begin: int) -> tuple[int, int]:
    """Return where the stretch of `raw` from `begin` on ends, and how long it is when decoded."""
    end = begin + STRETCH
    end = len(raw) if end >= len(raw) else max(safe_start(raw, end, begin), begin + 1)
    return end, len(decode(raw[begin:end]))


def _places_within(raw: bytes, places: list[int]) -> list[int]:
    out: list[int] = []
    shift = 0  # how far raw runs ahead of decoded
    rest = iter(places)
    want = next(rest, None)
    for match in _ESCAPE.finditer(raw):
        if want is None:
            return out
        decoded = match.start() - shift
        width = _width(match.group())
        while want is not None and want < decoded + width:
            out.append(want + shift if want <= decoded else match.start())
            want = next(rest, None)
        shift += len(match.group()) - width
    while want is not None:
        out.append(want + shift)
        want = next(rest, None)
    return out


def _width(escape: bytes) -> int:
    """Return the bytes that an escape decodes to."""
    if len(escape) == len(b"\\n"):
        return 1 if escape[1] in b'nrtbf"\\/' else len(decode(escape))
    if len(escape) == MAX_ESCAPE:
        return 4
    code = int(escape[2:], 16)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3


def strings(data: bytes, low: int, high: int) -> list[tuple[int, int]]:
    """Return the content of every string in `data[low:high]`, which must be JSON."""
    return [match.span(1) for match in _STRING.finditer(data, low, high)]
