"""Edits of a person's JSON: what is put in comes out again, and nothing else moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.errors import HostFileUnclear
from unabridged.hosts import jsonc

KEYS = st.sampled_from(["a", "b", "mcpServers", "hooks", "Stop", "ü", 'q"', ""])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
ENTRY = {"command": "/opt/una x/una", "args": ["mcp"], "env": {"A": "ü"}}
PATHS = (["mcpServers", "unabridged"], ["hooks", "deep", "er", "una"], ["una"])


@st.composite
def written(draw: st.DrawFn, value: Any, newline: str) -> str:
    """Write a value as a person might: with blanks, comments and trailing commas wherever they may stand."""
    space = st.sampled_from(["", " ", "\t", newline, newline + "  ", " /* c, } */ ", f'// d " {newline}'])
    if not isinstance(value, dict | list) or (not value and draw(st.booleans())):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    parts: list[str] = []
    for item in value.items() if isinstance(value, dict) else value:
        text = draw(written(item[1] if isinstance(value, dict) else item, newline))
        name = f"{json.dumps(item[0])}{draw(space)}:{draw(space)}" if isinstance(value, dict) else ""
        parts.append(draw(space) + name + text + draw(space))
    inner = ",".join(parts) + ("," + draw(space) if parts and draw(st.booleans()) else "")
    inner = inner or draw(space)
    return "{" + inner + "}" if isinstance(value, dict) else "[" + inner + "]"


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    value = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = draw(written(value, newline))
    head = draw(st.sampled_from(["", "\ufeff", "// top" + newline, "\ufeff/* top */"]))
    return head + text + draw(st.sampled_from(["", newline, newline + "// end"])), value


@given(files())
def test_what_a_person_may_write_is_read(file: tuple[str, dict[str, Any]]) -> None:
    text, value = file
    assert jsonc.parse(text).value == value


@given(files(), st.sampled_from(PATHS))
def test_an_entry_that_is_put_in_and_taken_out_leaves_every_byte(
    file: tuple[str, dict[str, Any]], path: list[str]
) -> None:
    text, value = file
    if jsonc.at(value, path) is not None or any(
        not isinstance(jsonc.at(value, path[:n]), dict | None) for n in range(1, len(path))
    ):
        return
    if any(
        jsonc.at(value, path[:n]) is None and path[n - 1] in (jsonc.at(value, path[: n - 1]) or {})
        for n in range(1, len(path) + 1)
    ):
        return  # a null stands there
    put = jsonc.put(text, path, ENTRY)
    assert jsonc.at(jsonc.parse(put).value, path) == ENTRY
    assert jsonc.put(put, path, ENTRY) == put
    assert jsonc.drop(put, path, text) == text


@given(files(), st.sampled_from([["hooks", "Stop"], ["list"]]))
def test_an_item_that_is_added_and_taken_out_leaves_every_byte(
    file: tuple[str, dict[str, Any]], path: list[str]
) -> None:
    text, value = file
    if len(path) > 1 and path[0] in value and not isinstance(value[path[0]], dict):
        return
    there = jsonc.at(value, path)
    if (there is None and (path[-1] in (jsonc.at(value, path[:-1]) or {}))) or not isinstance(
        there, list | None
    ):
        return
    added = jsonc.append(text, path, ENTRY)
    assert jsonc.at(jsonc.parse(added).value, path) == [*(there or []), ENTRY]
    assert jsonc.drop_items(added, path, lambda item: item == ENTRY, text) == text


@given(files(), KEYS)
def test_whatever_is_taken_out_the_rest_says_what_it_said(file: tuple[str, dict[str, Any]], key: str) -> None:
    text, value = file
    left = jsonc.parse(jsonc.drop(text, [key], text)).value
    assert left == {name: other for name, other in value.items() if name != key}


@given(st.text(max_size=40))
def test_what_is_no_object_is_refused_and_nothing_else_is_raised(text: str) -> None:
    try:
        put = jsonc.put(text, ["mcpServers", "unabridged"], ENTRY)
    except HostFileUnclear:
        return
    assert jsonc.at(jsonc.parse(put).value, ["mcpServers", "unabridged"]) == ENTRY


def test_an_entry_stands_as_a_person_would_have_put_it() -> None:
    text = '{\n\t// mine\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"x": {}\n\t}\n}\n'
    assert jsonc.put(text, ["mcpServers", "unabridged"], {"command": "una"}) == (
        '{\n\t// mine\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"x": {},\n\t\t"unabridged": {\n'
        '\t\t\t"command": "una"\n\t\t}\n\t}\n}\n'
    )


def test_a_comment_stays_beside_what_it_is_about() -> None:
    text = '{\n  "a": 1 // about a\n}'
    put = jsonc.put(text, ["b"], 2)
    assert put == '{\n  "a": 1, // about a\n  "b": 2\n}'
    assert jsonc.drop(put, ["b"], text) == text


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "{}", "{ }\r\n"])
def test_a_file_that_says_nothing_gets_an_object(text: str) -> None:
    assert jsonc.parse(jsonc.put(text, ["a", "b"], 1)).value == {"a": {"b": 1}}


@pytest.mark.parametrize(
    "text", ["[1]", "null", '"x"', "{", '{"a" 1}', '{"a": 1 "b": 2}', "{} x", '{"a": NaN}', "[" * 9000]
)
def test_a_file_that_is_not_understood_is_named_as_such(text: str) -> None:
    with pytest.raises(HostFileUnclear):
        jsonc.put(text, ["a"], 1)


def test_of_a_name_that_stands_twice_the_last_one_counts_as_it_does_for_the_host() -> None:
    text = '{"a": {"x": 1}, "a": {"y": 2}}'
    assert jsonc.put(text, ["a", "una"], 3) == '{"a": {"x": 1}, "a": {"y": 2, "una": 3}}'


def test_what_stood_in_our_place_comes_back_beside_what_changed_since() -> None:
    before = '{"una": null, "a": 1}'
    put = jsonc.put(before, ["una"], ENTRY).replace('"a": 1', '"a": 2')
    assert jsonc.drop(put, ["una"], before) == '{"una": null, "a": 2}'
