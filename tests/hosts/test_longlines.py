"""Lines with very long strings: the same values as from the decoder, whatever the strings hold."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.hosts import longlines

ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
PIECES = ("word ", "\\", '"', "\n", "\u00e9", "\u65e5\u672c", "\U0001f600", "\x01", "\\u0041", "/", "a" * 40)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(longlines, "LONG", 64)
    monkeypatch.setattr(longlines, "PIECE", 48)
    monkeypatch.setattr(longlines, "CUT_WITHIN", 16)


STRINGS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
VALUES = st.recursive(
    STRINGS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
)


@settings(max_examples=300, deadline=None)
@given(VALUES, st.booleans())
def test_a_line_gives_what_the_decoder_gives(value: Any, ascii_only: bool) -> None:
    line = json.dumps({"a": value, "b": 1}, ensure_ascii=ascii_only).encode()
    assert longlines.decode(line, ANY) == json.loads(line)


class _Inner(msgspec.Struct, frozen=True, gc=False):
    content: Any = None
    name: str | None = None


class _Row(msgspec.Struct, frozen=True, gc=False):
    inner: _Inner | None = None
    text: str | None = None


def test_strings_come_back_into_structs_lists_and_keys() -> None:
    long = 'x "quoted" \\ \u00fc ' * 20
    line = json.dumps(
        {"text": long, "inner": {"content": [{"k": long, long: 1}, long], "name": long}}
    ).encode()
    assert longlines._long_strings(line)
    row = longlines.decode(line, msgspec.json.Decoder(_Row))
    assert row == _Row(_Inner([{"k": long, long: 1}, long], long), long)


@pytest.mark.parametrize(
    "tail",
    [b'"', b'", "b": }', b'"} {"glued": 1}', b'\\ud800"}', b'\\q"}', b'\xff"}', b'\x01"}'],
)
def test_what_the_decoder_refuses_is_refused(tail: bytes) -> None:
    line = b'{"a": "' + b"long enough " * 20 + tail
    with pytest.raises(msgspec.DecodeError) as expected:
        ANY.decode(line)
    with pytest.raises(msgspec.DecodeError) as found:
        longlines.decode(line, ANY)
    assert str(found.value) == str(expected.value)


def test_a_line_that_holds_the_mark_itself_is_decoded() -> None:
    marks = [f"unabridged-long-string-{salt}-" for salt in range(8)]
    line = json.dumps({"a": " ".join(marks) * 3, "b": marks}).encode()
    assert longlines.decode(line, ANY) == json.loads(line)


def test_a_string_of_nothing_but_escapes_is_decoded() -> None:
    line = json.dumps({"a": "\U0001f600" * 500}).encode()
    assert b"\\ud83d" in line
    assert longlines.decode(line, ANY) == json.loads(line)
