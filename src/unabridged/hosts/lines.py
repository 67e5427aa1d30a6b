"""Lines of a host file: where each begins, what it holds as JSON.

`LineSplitter` cuts a stream of bytes at line feeds in bounded memory. `body` takes the terminator off. `values` gives
the JSON values of a line, however damaged; it is also what resolves a stored `Ref`, so its results are part of the
stored format: for a line that it could read once, it must go on giving the same values.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from unabridged.hosts import longlines
from unabridged.hosts.contract import Problem

TOO_LONG = (
    48 << 20
)  # bytes; a longer line is handed over in pieces, so that a reader stays below 64 MiB of raw bytes
PIECE = 4 << 20  # bytes of a piece, about
WORD_WITHIN = 64 << 10  # bytes at the end of a piece in which a place to cut is looked for
RESYNC_TRIES = (
    64  # places in a torn line where a whole object is looked for; bounds the work on hostile lines
)
MAX_DIGITS = 4000  # of an integer; Python refuses to convert more than 4,300

_BLANK = b" \t\r\n\x00"  # a file system can leave NULs where a crash cut a write
_SPACES = re.compile(r"[ \t\r\n\x00\ufeff]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_OBJECT = re.compile(r'\{"')

S = TypeVar("S", bound=msgspec.Struct)


class RawLine(msgspec.Struct, frozen=True, gc=False):
    """A line as it stands in the file, with its terminator; or a piece of a line longer than the limit."""

    offset: int  # of its first byte in the stream
    data: bytes
    piece: bool = False  # part of a line that is too long
    last: bool = True  # ends its line (a piece that does not is followed by another)


class LineSplitter:
    """Cuts blocks of bytes into lines; holds at most one unfinished line of up to `limit` bytes.

    A longer line is handed over in pieces, cut where no word is cut: what is looked for in a piece (a password, say) is
    found whole.
    """

    def __init__(self, offset: int = 0, limit: int = TOO_LONG) -> None:
        """Start at `offset` of the stream, which must be the beginning of a line."""
        self._offset = offset  # of what is held
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = 0
        self._long = False  # the current line is too long

    @property
    def offset(self) -> int:
        """Offset of the first byte that has not been handed over."""
        return self._offset

    @property
    def pending(self) -> int:
        """Bytes of the unfinished line that are held back."""
        return self._held

    def feed(self, block: bytes) -> list[RawLine]:
        """Take the next bytes of the stream and return the lines that they complete, in order."""
        found: list[RawLine] = []
        start = 0
        find, limit = block.find, self._limit
        end = find(b"\n") + 1
        while end:
            if self._parts or self._long or end - start > limit:
                self._take(block[start:end], True, found)
            else:
                found.append(RawLine(self._offset, block[start:end]))
                self._offset += end - start
            start = end
            end = find(b"\n", start) + 1
        if start < len(block):
            self._take(block[start:], False, found)
        return found

    def finish(self) -> list[RawLine]:
        """Return the unfinished last line (or its last piece), if there is one, and forget it."""
        found: list[RawLine] = []
        if self._held:
            self._take(b"", True, found)
        return found

    def _take(self, data: bytes, ends: bool, found: list[RawLine]) -> None:
        """Take a part of a line that ends with it, or does not."""
        if not self._long and self._held + len(data) > self._limit:
            self._long = True
            parts, self._parts, self._held = self._parts[::-1], [], 0
            while parts:  # each is let go of as its copy is made
                self._take_long(parts.pop(), found)
        if self._long:
            self._take_long(data, found)
        elif data:
            self._parts.append(data)
            self._held += len(data)
        if ends:
            self._give(b"".join(self._parts) if len(self._parts) != 1 else self._parts[0], True, found)
            self._parts, self._held, self._long = [], 0, False

    def _take_long(self, data: bytes, found: list[RawLine]) -> None:
        """Take a part of a line that is too long; hand over what makes a piece, but never all of it."""
        self._parts.append(data)
        self._held += len(data)
        if self._held > min(PIECE, self._limit):
            data = b"".join(self._parts)
            cut = _word_end(data)
            self._give(data[:cut], False, found)
            self._parts, self._held = [data[cut:]], len(data) - cut

    def _give(self, data: bytes, last: bool, found: list[RawLine]) -> None:
        if data:
            found.append(RawLine(self._offset, data, self._long, last))
            self._offset += len(data)


def _word_end(data: bytes) -> int:
    """Return where to cut: behind the last space, comma or quote before the end, else one byte before the end."""
    start, end = max(0, len(data) - WORD_WITHIN), len(data) - 1
    return max(data.rfind(mark, start, end) + 1 for mark in (b" ", b",", b'"')) or end


def body(raw: bytes, first: bool = False) -> bytes:
    """Return a line without LF or CRLF, and without the UTF-8 byte order mark where it is a file's first line."""
    if raw.endswith(b"\n"):
        raw = raw[:-2] if raw.endswith(b"\r\n") else raw[:-1]
    if first and raw.startswith(codecs.BOM_UTF8):
        raw = raw[len(codecs.BOM_UTF8) :]
    return raw


class Values(NamedTuple):
    """The JSON values of one line, in order, and what is wrong with the line (None: nothing)."""

    items: list[Any]
    problem: Problem | None = None


_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


_tolerant = json.JSONDecoder(strict=False, parse_int=_integer)

NOT_JSON = Problem("not-json", "the line is not JSON")
NOT_UTF8 = Problem("not-utf8", "the line is not UTF-8; what could be read was kept")
NOT_AN_OBJECT = Problem("not-an-object", "the line is JSON, but not an object")
TOO_DEEP = Problem("too-deep", "the line's JSON is nested too deeply")
LINE_TOO_LONG = Problem("too-long", "the line is longer than a reader takes; its bytes are kept")


def values(line: bytes) -> Values:
    """Return the JSON values of a line; strings hold U+FFFD for lone surrogates and for bytes that are not UTF-8.

    Several values may be glued together. Of a torn line, the whole objects before and at its end are returned beside a
    `not-json` problem. A blank line has no values and no problem. Never raises.
    """
    try:
        return Values([longlines.decode(line, _decoder)])
    except RecursionError:
        return Values([], TOO_DEEP)
    except msgspec.DecodeError:
        return _damaged(line)


def _damaged(line: bytes) -> Values:
    line = line.strip(_BLANK)
    if not line:
        return Values([])
    problem = None
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        problem = NOT_UTF8
    items: list[Any] = []
    try:
        torn = _read_glued(text, items)
        return Values([_clean(item) for item in items], NOT_JSON if torn else problem)
    except RecursionError:
        return Values([], TOO_DEEP)


def _read_glued(text: str, items: list[Any]) -> bool:
    """Append the text's values to `items`; tell whether some of the text was not JSON."""
    at = _skip(text, 0)
    while at < len(text):
        try:
            value, end = _tolerant.raw_decode(text, at)
        except ValueError:
            _resync(text, at + 1, items)
            return True
        items.append(value)
        at = _skip(text, end)
    return False


def _skip(text: str, at: int) -> int:
    found = _SPACES.match(text, at)
    return found.end() if found else at


def _resync(text: str, at: int, items: list[Any]) -> None:
    """Look for a whole object that ends the text: what was appended behind a write that a crash cut off."""
    for tries, match in enumerate(_OBJECT.finditer(text, at)):
        if tries >= RESYNC_TRIES:
            return
        try:
            value, end = _tolerant.raw_decode(text, match.start())
        except ValueError:
            continue
        if _skip(text, end) == len(text):
            items.append(value)
            return


def _clean(value: Any) -> Any:
    """Return the value with U+FFFD for each lone surrogate."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_clean(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in cast("dict[str, Any]", value).items()}
    return value


def fit(value: Any, struct: type[S]) -> S | None:
    """Return the object as a struct, dropping every field whose value has another type; None when it is no object.

    The slow path beside a typed decoder: a host that gives one field a new type must not cost us the line. Every field
    of the struct needs a default.
    """
    if not isinstance(value, dict):
        return None
    row = cast("dict[str, Any]", value)
    try:
        return msgspec.convert(row, struct)
    except msgspec.ValidationError:
        pass
    kept: dict[str, Any] = {}
    for field in msgspec.structs.fields(struct):
        if field.encode_name in row:
            try:
                kept[field.name] = msgspec.convert(row[field.encode_name], field.type)
            except msgspec.ValidationError:
                continue
    return struct(**kept)


def first_objects(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Return all JSON objects of some lines, for sniffing and for heads; anything else is passed over."""
    return [item for line in lines for item in values(line).items if isinstance(item, dict)]


def rows_of(
    line: bytes, decoder: msgspec.json.Decoder[S], kind: type[S], mend: Callable[[S, Any], S] | None = None
) -> tuple[list[tuple[S, int]], Problem | None]:
    """Return a line's rows, nearly always one, each with the number of its value, and what is wrong with the line.

    mend: gives a row of a line that is not one well-formed row what it has in another form. Never raises.
    """
    try:
        return [(longlines.decode(line, decoder), 0)], None
    except (msgspec.DecodeError, RecursionError):
        found = values(line)
    rows: list[tuple[S, int]] = []
    problem = found.problem
    for number, value in enumerate(found.items):
        row = fit(value, kind)
        if row is None:
            problem = problem or NOT_AN_OBJECT
        else:
            rows.append((mend(row, value) if mend is not None else row, number))
    return rows, problem
