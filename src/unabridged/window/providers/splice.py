"""JSON that is changed in places: where each value stands in the bytes, so that all others stay as they were.

Nothing is decoded and encoded again: the forms of numbers, the order of keys, keys given twice, escapes and spaces
remain. The decoder finds values fast but not where they are; their places follow from walking over what separates them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from unabridged.hosts.surrogates import whole_pairs

Span = tuple[int, int]  # first byte, byte behind the last
Members = dict[str, msgspec.Raw]

_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}]+")
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
SCANNED = 400  # bytes up to which values are found by a scan alone
_COMMA, _BLANK, _AFTER = ord(","), b" \t\n\r", b" \t\n\r,}"

# A decoder's refusals; the last is of values nested too deep.
FAILURES = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_members = msgspec.json.Decoder(Members)
_elements = msgspec.json.Decoder(list[msgspec.Raw])
_text = msgspec.json.Decoder(str)


class NotUnderstood(ValueError):
    """The bytes are no JSON of the expected form."""


def members(data: bytes | msgspec.Raw) -> Members:
    """Return the members of an object, undecoded; of a key given twice, the last. Raises `NotUnderstood`."""
    try:
        return _members.decode(data)
    except FAILURES:
        raw = bytes(data)
    try:  # half of a surrogate pair is JSON, though no text: the values are cut out of the bytes as they are
        _members.decode(whole_pairs(raw))
    except FAILURES as error:
        raise NotUnderstood("not an object") from error
    return {name: msgspec.Raw(raw[start:end]) for name, (start, end) in member_spans(raw).items()}


def elements(data: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """Return the elements of an array, undecoded. Raises `NotUnderstood`."""
    try:
        return _elements.decode(data)
    except FAILURES:
        raw = bytes(data)
    try:
        _elements.decode(whole_pairs(raw))
    except FAILURES as error:
        raise NotUnderstood("not an array") from error
    return [msgspec.Raw(raw[start:end]) for start, end in element_spans(raw)]


def member_spans(data: bytes) -> dict[str, Span]:
    """Return where the values of an object's members stand; of a key given twice, the last, as decoders read it."""
    known: Members = {}
    if len(data) > SCANNED:  # the decoder skips long values many times faster than a scan
        try:
            known = _members.decode(data)
        except FAILURES:
            known = {}
    return {name: (start, end) for _, name, start, end in _walk(data, known)}


def _walk(data: bytes, known: Mapping[str, msgspec.Raw]) -> Iterator[tuple[int, str, int, int]]:
    """Yield (start of the key, key, start of the value, its end) of each member. `known` values spare their scan."""
    at = _opened(data, 0, b"{")
    while data[at : at + 1] != b"}":
        begin, name, at = _key(data, at)
        end = _end(data, at, bytes(known.get(name, b"")))
        yield begin, name, at, end
        at = _next(data, end, b"}")


def _key(data: bytes, at: int) -> tuple[int, str, int]:
    """Return the start of a key, the key, and where its value starts."""
    key = _STRING.match(data, at)
    if key is None:
        raise NotUnderstood("no key")
    colon = _skip(data, key.end())
    _expect(data, colon, b":")
    return at, text(key[0]), _skip(data, colon + 1)


def _end(data: bytes, at: int, value: bytes) -> int:
    """Return where the value ends that starts at `at`; `value` is what is known of it."""
    end = at + len(value)
    # A key that is given twice has another value here, or one that only begins like the last.
    if not value or not data.startswith(value, at) or data[end] not in _AFTER:
        return value_end(data, at)
    return end


def element_spans(data: bytes) -> list[Span]:
    """Return where the elements of an array stand."""
    if len(data) > SCANNED:
        try:
            return placed_elements(data, (0, len(data)), _elements.decode(data))
        except FAILURES:
            pass
    found, at = list[Span](), _opened(data, 0, b"[")
    while data[at : at + 1] != b"]":
        end = value_end(data, at)
        found.append((at, end))
        at = _next(data, end, b"]")
    return found


def placed_elements(data: bytes, array: Span, values: list[msgspec.Raw]) -> list[Span]:
    """Return where the elements of a large array stand, given their bytes in order. Raises `NotUnderstood`."""
    found, at = list[Span](), _opened(data, array[0], b"[")
    for value in values:
        if found:
            if data[at] != _COMMA or data[at + 1] in _BLANK:
                at = _next(data, at, b"")
            else:
                at += 1
        end = at + len(memoryview(value))
        found.append((at, end))
        at = end
    if found and data[found[-1][0] : at] != bytes(values[-1]):
        raise NotUnderstood("the elements are not where they should be")
    return found


def placed_member(data: bytes, known: Members, name: str) -> Span:
    """Return where one member of a large object stands, given all members' bytes. Raises `NotUnderstood`."""
    found = [(start, end) for _, key, start, end in _walk(data, known) if key == name]
    if not found:
        raise NotUnderstood(f"no {name}")
    return found[-1]


def placed_array(
    data: bytes, known: Mapping[str, msgspec.Raw], name: str, values: list[msgspec.Raw]
) -> tuple[Span, list[Span]]:
    """Return where an array stands among an object's members, and its elements in it, given the elements' bytes.

    `known` are bytes of other members. Raises `NotUnderstood`, also where the array is given twice.
    """
    found: tuple[Span, list[Span]] | None = None
    at = _opened(data, 0, b"{")
    while data[at : at + 1] != b"}":
        _, key, at = _key(data, at)
        if key != name:
            end = _end(data, at, bytes(known.get(key, b"")))
        elif found is None:
            spans = placed_elements(data, (at, at), values)
            last = _skip(data, spans[-1][1]) if spans else _opened(data, at, b"[")
            _expect(data, last, b"]")
            end = last + 1
            found = (at, end), spans
        else:
            raise NotUnderstood(f"two {name}")
        at = _next(data, end, b"}")
    if found is None:
        raise NotUnderstood(f"no {name}")
    return found


def value_end(data: bytes, start: int) -> int:
    """Return the byte behind the value that begins at `start`."""
    first = data[start : start + 1]
    if first == b'"':
        string = _STRING.match(data, start)
        if string is None:
            raise NotUnderstood("a text without an end")
        return string.end()
    if first not in (b"{", b"["):
        scalar = _SCALAR.match(data, start)
        if scalar is None:
            raise NotUnderstood("no value")
        return scalar.end()
    depth = 0
    for token in _TOKEN.finditer(data, start):
        mark = token[0]
        if mark in (b"{", b"["):
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
            if not depth:
                return token.end()
    raise NotUnderstood("a value without an end")


def replaced(data: bytes, changes: Iterable[tuple[Span, bytes]]) -> bytes:
    """Return the bytes with the values at some places replaced."""
    found, at = list[bytes](), 0
    for (start, end), value in sorted(changes):
        found += (data[at:start], value)
        at = end
    return b"".join((*found, data[at:]))


def without_member(data: bytes, name: str) -> bytes:
    """Return an object without a member; what stands between the others stays."""
    for begin, key, _, end in _walk(data, {}):
        if key != name:
            continue
        after = _skip(data, end)
        if data[after] == _COMMA:
            return without_member(data[:begin] + data[_skip(data, after + 1) :], name)
        kept = data[:begin].rstrip(b" \t\n\r")
        return (kept[:-1] if kept[-1] == _COMMA else data[:begin]) + data[end:]
    return data


def with_member(data: bytes, name: str, value: bytes) -> bytes:
    """Return an object with a member set: at its place, or last where there was none."""
    spans = member_spans(data)
    if name in spans:
        return replaced(data, [(spans[name], value)])
    end = data.rindex(b"}")
    return data[:end] + (b"," if spans else b"") + encoded(name) + b":" + value + data[end:]


def encoded(value: object) -> bytes:
    """Return JSON of a value of ours; a text that UTF-8 cannot hold is escaped."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def text(value: msgspec.Raw | bytes) -> str:
    """Return a JSON text decoded, also one with half of a surrogate pair in it. Raises `NotUnderstood`."""
    try:
        return _text.decode(value)
    except FAILURES:
        pass
    try:
        found = json.loads(bytes(value))
    except (ValueError, RecursionError) as error:
        raise NotUnderstood("not a text") from error
    if not isinstance(found, str):
        raise NotUnderstood("not a text")
    return found


def _opened(data: bytes, start: int, mark: bytes) -> int:
    at = _skip(data, start)
    _expect(data, at, mark)
    return _skip(data, at + 1)


def _next(data: bytes, end: int, closing: bytes) -> int:
    """Return where the next key or element begins, or where the closing mark stands."""
    at = _skip(data, end)
    if data[at : at + 1] == closing:
        return at
    _expect(data, at, b",")
    return _skip(data, at + 1)


def _skip(data: bytes, at: int) -> int:
    found = _SPACE.match(data, at)
    return found.end() if found else at


def _expect(data: bytes, at: int, mark: bytes) -> None:
    if data[at : at + 1] != mark:
        raise NotUnderstood(f"no {mark.decode()} where one should be")
