"""A line of which little is decoded gives the strings that the whole gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.archive.ingest import follow
from unabridged.archive.lazyline import LazyLine, string_at
from unabridged.hosts.lines import values

NAMES = st.sampled_from(["a", "b", "c", "", "\u00e9"])
TEXTS = st.sampled_from(["x", "\ud800", "\U0001f600", "\n\x00", '"', "\u65e5"])
VALUES = st.recursive(
    TEXTS | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
)
PATHS = st.lists(st.sampled_from([0, 1, 2, "a", "b", "c", "", "\u00e9"]), max_size=4)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(VALUES, min_size=1, max_size=2),
    st.binary(max_size=3),
    st.integers(0, 40),
    st.lists(PATHS, min_size=1, max_size=5),
    st.booleans(),
)
def test_strings_are_those_of_the_whole_line(
    items: list[Any], noise: bytes, at: int, paths: list[list[int | str]], damaged: bool
) -> None:
    line = b"".join(json.dumps(item).encode() for item in items)
    if damaged:
        line = line[:at] + noise + line[at:]
    lazy, whole = LazyLine(line), values(line).items
    for path in paths:
        assert lazy.follow(path) == follow(whole, path)
        assert string_at(line, path) in (None, follow(whole, path))


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": "\xff", "b": ["x"]}',
        b'{"a": "\\ud800", "b": ["x"]}',
        b'{"a": "1", "a": "2", "b": ["x"]}',
        b'{"a": 1e999, "b": ["x"]}',
    ],
)
def test_damage_in_one_field_leaves_the_others(line: bytes) -> None:
    for path in ([0, "b", 0], [0, "a"], [0, "a", 0], [0], [1, "a"]):
        assert LazyLine(line).follow(list(path)) == follow(values(line).items, list(path))
    assert LazyLine(line).follow([0, "b", 0]) == "x"


def test_a_string_is_read_without_what_stands_beside_it() -> None:
    line = b'{"a": {"c": 1}, "m": [{"t": 1, "x": ["\\u00e9"]}, {"t": "two"}], "m\\"": "q"}\r\n'
    assert string_at(line, [0, "m", 0, "x", 0]) == "\u00e9"
    assert string_at(line, [0, "m", 1, "t"]) is None  # of the first element it is no string
    assert string_at(line, [0, 'm"']) in (None, "q")  # no decoder can be made for every name
    assert string_at(line, [0, "n"]) is string_at(line, [1, "m"]) is string_at(line, [0]) is None
