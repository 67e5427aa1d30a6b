"""Lines of a host file: where each begins, what it holds."""

from __future__ import annotations

import json
import random
import re

import msgspec
import pytest

from unabridged.hosts.lines import TOO_LONG, LineSplitter, RawLine, body, first_objects, fit, values


class Sample(msgspec.Struct, rename="camel"):
    some_name: str | None = None
    count: int | None = None


def split(data: bytes, sizes: list[int], limit: int) -> list[RawLine]:
    splitter = LineSplitter(offset=5 << 32, limit=limit)
    found: list[RawLine] = []
    at = turn = 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        found += splitter.feed(data[at : at + size])
        assert splitter.offset + splitter.pending == (5 << 32) + min(at + size, len(data))
        at, turn = at + size, turn + 1
    return found + splitter.finish()


@pytest.mark.parametrize("limit", [1, 3, 10, 1000])
@pytest.mark.parametrize("seed", range(20))
def test_lines_and_pieces_partition_the_stream_however_it_is_cut(limit: int, seed: int) -> None:
    dice = random.Random(seed)
    data = bytes(dice.choice(b"abc\r\n\n") for _ in range(dice.randrange(200)))
    pieces = split(data, [dice.randrange(1, 9) for _ in range(5)], limit)
    assert b"".join(piece.data for piece in pieces) == data
    at = 5 << 32
    for piece in pieces:
        assert piece.offset == at
        assert piece.data
        assert piece.piece or len(piece.data) <= limit
        at += len(piece.data)
    lines, current = [], b""
    for piece in pieces:
        current += piece.data
        if piece.last:
            lines.append(current)
            current = b""
    assert lines == [line for line in re.split(b"(?<=\n)", data) if line]


def test_pieces_of_a_long_line_are_marked_and_lines_around_it_are_not() -> None:
    found = split(b"ab\n" + b"x" * 25 + b"\ncd\n", [7], 10)
    assert b"".join(item.data for item in found[1:-1]) == b"x" * 25 + b"\n"
    assert {item.piece for item in found[1:-1]} == {True}
    assert [item.last for item in found[1:-1]] == [False] * (len(found) - 3) + [True]
    assert [(item.data, item.piece, item.last) for item in (found[0], found[-1])] == [
        (b"ab\n", False, True),
        (b"cd\n", False, True),
    ]


def test_a_long_line_that_does_not_end_has_a_last_piece_all_the_same() -> None:
    found = split(b"word " * 9, [8], 10)
    assert [item.last for item in found] == [False] * (len(found) - 1) + [True]


def test_no_word_of_a_long_line_is_cut() -> None:
    words = b'"a": "secret-0123456789", ' * 40 + b"\n"
    found = split(words, [9], 60)
    assert len(found) > 5
    assert all(item.data.endswith((b" ", b",", b'"', b"\n")) for item in found)
    assert sum(item.data.count(b"secret-0123456789") for item in found) == 40


def test_an_unfinished_line_is_held_back_until_it_ends() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b'{"a":') == []
    assert (splitter.offset, splitter.pending) == (0, 5)
    assert splitter.feed(b"1}\n") == [RawLine(0, b'{"a":1}\n')]
    assert splitter.finish() == []


def test_a_carriage_return_alone_ends_no_line() -> None:
    assert [item.data for item in split(b"a\rb\r\nc", [100], 100)] == [b"a\rb\r\n", b"c"]


def test_the_largest_line_leaves_room_in_the_memory_of_a_reader() -> None:
    assert TOO_LONG + (16 << 20) <= 64 << 20


@pytest.mark.parametrize(
    ("raw", "first", "expected"),
    [
        (b"x\n", False, b"x"),
        (b"x\r\n", False, b"x"),
        (b"x", False, b"x"),
        (b"x\r", False, b"x\r"),
        (b"\n", False, b""),
        (b"\xef\xbb\xbfx\n", True, b"x"),
        (b"\xef\xbb\xbfx\n", False, b"\xef\xbb\xbfx"),
    ],
)
def test_a_body_has_neither_terminator_nor_mark(raw: bytes, first: bool, expected: bytes) -> None:
    assert body(raw, first) == expected


@pytest.mark.parametrize(
    ("line", "items", "code"),
    [
        (b'{"a":1}', [{"a": 1}], None),
        (b"null", [None], None),
        (b"", [], None),
        (b" \x00\x00", [], None),
        (b'\x00\x00{"a":1}', [{"a": 1}], None),
        # Two objects glued together, as tools that rewrite files leave them.
        (b'{"a":1}{"b":2}', [{"a": 1}, {"b": 2}], None),
        (b'{"a":1} \xef\xbb\xbf{"b":2}', [{"a": 1}, {"b": 2}], None),
        (b'{"a":1}{"b', [{"a": 1}], "not-json"),
        # A write that a crash cut off, and the next one behind it.
        (b'{"a":"x","b":"tr{"type":"user","c":1}', [{"type": "user", "c": 1}], "not-json"),
        (b"plain text", [], "not-json"),
        # https://github.com/anthropics/claude-code/issues/69927: lone surrogates
        (rb'{"a":"x\ud800y","b":"\udc00","\ud801":1}', [{"a": "x\ufffdy", "b": "\ufffd", "\ufffd": 1}], None),
        (rb'{"a":"\ud83d\ude00"}{"b":"\ud83d"}', [{"a": "😀"}, {"b": "\ufffd"}], None),
        (rb'{"a":"\\ud800"}', [{"a": "\\ud800"}], None),
        (b'{"a":"\xff!"}', [{"a": "\ufffd!"}], "not-utf8"),
        (b'{"a":"\xed\xa0\x80"}', [{"a": "\ufffd\ufffd\ufffd"}], "not-utf8"),
        (b'{"a":"\x01"}', [{"a": "\x01"}], None),
        (b'{"a":1e999}', [{"a": float("inf")}], None),
        (b"[" * 100_000 + b"]" * 100_000, [], "too-deep"),
    ],
)
def test_values_are_read_however_damaged_a_line_is(
    line: bytes, items: list[object], code: str | None
) -> None:
    found = values(line)
    assert found.items == items
    assert (found.problem.code if found.problem else None) == code


def test_an_integer_of_any_length_is_read() -> None:
    assert values(b'{"a":' + b"9" * 100 + b"}").items == [{"a": int("9" * 100)}]
    assert values(b'{"a":' + b"9" * 5000 + b"}").items == [{"a": float("inf")}]


def test_random_bytes_never_raise() -> None:
    dice = random.Random(1)
    good = json.dumps({"type": "user", "text": "naïve \U0001f600", "deep": [{"a": [1, None]}]}).encode()
    for _ in range(2000):
        line = bytearray(good)
        for _ in range(dice.randrange(1, 4)):
            line[dice.randrange(len(line))] = dice.randrange(256)
        found = values(bytes(line))
        assert found.problem is not None or len(found.items) >= 1


def test_looking_for_what_follows_a_torn_write_takes_bounded_work() -> None:
    found = values(b'{"a":' * 400_000)
    assert found.items == []
    assert found.problem is not None


def test_an_object_fits_a_struct_without_the_fields_of_other_types() -> None:
    assert fit({"someName": "x", "count": 2, "more": []}, Sample) == Sample("x", 2)
    assert fit({"someName": ["x"], "count": 2}, Sample) == Sample(None, 2)
    assert fit([1], Sample) is None


def test_objects_are_taken_from_lines_that_hold_some() -> None:
    assert first_objects([b"[1]", b'{"a":1}{"b":2}', b"x"]) == [{"a": 1}, {"b": 2}]
