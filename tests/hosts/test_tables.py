"""Edits of a person's TOML, and of their Markdown: what is put in comes out again, and nothing else moves."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.errors import HostFileUnclear
from unabridged.hosts import marked, tables
from unabridged.hosts.jsonc import at

SERVER = ("mcp_servers", "unabridged")
STATE = ("hooks", "state", '/a b/ü"/hooks.json:stop:0:0')
ROWS = {
    SERVER: {"command": '/x "y"/una', "args": ["mcp"], "env": {"A": "\x7f\\"}},
    STATE: {"trusted_hash": "sha256:0"},
}
LINES = (
    "# a comment",
    "",
    "   ",
    'model = "o"  # why',
    "[mcp_servers.x]",
    "[mcp_servers]",
    "[hooks.state]",
    "[[hooks.Stop]]",
    "[hooks]",
    "a.b.c = 1",
    'text = """',
    "[mcp_servers.unabridged]",
    "inline = { x = 1 }",
    "list = [",
    "1, # one",
    "]",
    '[projects."/srv/a b"]',
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Text that is TOML more often than not, with any line ends."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    lines = draw(st.lists(st.sampled_from(LINES), max_size=8))
    return draw(st.sampled_from(["", "\ufeff"])) + newline.join(lines) + draw(st.sampled_from(["", newline]))


def said(text: str) -> dict[str, Any] | None:
    try:
        return tables.values(text)
    except HostFileUnclear:
        return None


@given(files())
def test_tables_that_are_put_in_and_taken_out_leave_every_byte(text: str) -> None:
    before = said(text)
    if before is None or at(before, SERVER) is not None:
        return
    try:
        put = tables.put(text, ROWS)
    except HostFileUnclear:
        assert isinstance(at(before, ["hooks"]), dict | list)  # a table that cannot be added to
        return
    assert all(at(tables.values(put), path) == rows for path, rows in ROWS.items())
    assert tables.drop(put, list(ROWS), text) == text


@given(files(), st.sampled_from([line for line in LINES if line[:1] in ("#", "[")]))
def test_tables_that_are_taken_out_of_a_changed_file_leave_what_it_says(text: str, more: str) -> None:
    if said(text) is None or at(said(text), SERVER) is not None or said(text + "\n" + more + "\n") is None:
        return
    try:
        put = tables.put(text, ROWS) + "\n" + more + "\n"
    except HostFileUnclear:
        return
    if said(put) is None:
        return
    try:
        left = tables.drop(put, list(ROWS), text)
    except HostFileUnclear:
        return
    assert at(tables.values(left), SERVER) is None
    assert more in left


def test_a_table_is_replaced_in_a_file_that_its_host_has_written_to() -> None:
    text = 'a = 1\n\n[mcp_servers.unabridged]\ncommand = "/old/una"\nargs = ["mcp"]\n\n# of this one\n[tui]\nx = 1\n'
    put = tables.put(text, {SERVER: {"command": "/new/una"}})
    assert put == 'a = 1\n\n# of this one\n[tui]\nx = 1\n\n[mcp_servers.unabridged]\ncommand = "/new/una"\n'


def test_a_table_goes_with_the_tables_in_it_which_its_host_has_written_apart() -> None:
    text = '[a]\nx = 1\n\n[mcp_servers.unabridged]\ncommand = "/una"\n\n[mcp_servers.unabridged.env]\nA = "1"\n\n[b]\n'
    assert tables.drop(text, [SERVER]) == "[a]\nx = 1\n\n[b]\n"


@pytest.mark.parametrize("text", ['mcp_servers = { x = { command = "x" } }', "a = ", "\x00"])
def test_a_file_that_cannot_take_a_table_is_named_as_such(text: str) -> None:
    with pytest.raises(HostFileUnclear):
        tables.put(text, {SERVER: {"command": "una"}})


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_string_is_written_as_toml_reads_it(value: str) -> None:
    assert tomllib.loads(f"a = {tables.quoted(value)}") == {"a": value}


@given(st.text(st.sampled_from("a#\n\r é"), max_size=12).map(lambda text: text.replace("\r", "\r\n")))
def test_a_block_that_is_put_in_and_taken_out_leaves_every_byte(text: str) -> None:
    put = marked.put(text, "one\ntwo")
    assert marked.put(put, "one\ntwo") == put
    assert marked.drop(put, text) == text


def test_a_block_is_taken_out_of_a_text_that_was_changed() -> None:
    put = marked.put("mine\n", "ours\n").replace("mine", "yours") + "\nmore\n"
    assert marked.drop(put, "mine\n") == "yours\n\nmore\n"
    assert marked.drop("nothing of ours\n", "x") == "nothing of ours\n"


@given(files(), st.permutations([*ROWS, ("hooks", "state", "other")]))
def test_tables_that_came_one_after_another_go_in_any_order(text: str, order: list[tuple[str, ...]]) -> None:
    if said(text) is None:
        return
    try:
        put = tables.put(tables.put(text, ROWS), {("hooks", "state", "other"): {"trusted_hash": "1"}})
    except HostFileUnclear:
        return
    if any(at(said(text), path) is not None for path in order):
        return
    for path in order:
        put = tables.drop(put, [path])
    assert said(put) is not None
    # What a person wrote stays to the byte, with its last line open or not.
    assert put == text


@pytest.mark.parametrize("inner", ["[mcp_servers.unabridged]", "\u2028[mcp_servers.unabridged]\u2028"])
def test_a_table_in_a_string_is_none(inner: str) -> None:
    text = f'text = """\n{inner}\n"""'
    put = tables.put(text, ROWS)
    assert tables.drop(put, list(ROWS)) == text


@given(st.sampled_from(["", "\ufeff", "a", "a\r\nb", "a\n\n", "\n", "\r\n", "a\nb\r\n", " "]))
def test_a_block_goes_without_being_told_what_stood_there(text: str) -> None:
    put = marked.put(text, "## Ours\n\nWords.\n")
    assert marked.put(put, "## Ours\n\nWords.\n") == put
    assert marked.drop(put) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "[mcp_servers]\nx = 1\nunabridged = { a = 1, b = [\n2] } # ours\ny = 2\n",
            "[mcp_servers]\nx = 1\ny = 2\n",
        ),
        ("a = 1\nmcp_servers.unabridged.a = 1\nmcp_servers.unabridged.b = 2\n[t]\n", "a = 1\n[t]\n"),
        ("mcp_servers = { unabridged = { a = 1 } }\na = 1", "a = 1"),
    ],
)
def test_a_table_that_was_written_in_rows_goes_with_its_rows(text: str, left: str) -> None:
    assert tables.drop(text, [SERVER]) == left


@pytest.mark.parametrize(
    "value",
    [
        '"""\n[mcp_servers.unabridged]\n""\\"""""',
        "'''\n[mcp_servers.unabridged]\nit's \\'''",
        '["]", \'"""\',\n[1], # ]\n]',
        '"\\"[" # "',
        '""',
        '""""""',
    ],
)
def test_where_a_row_ends_is_told_by_its_value(value: str) -> None:
    text = f"a = {value}\nb = 1\n"
    assert tables.drop(f"a = {value}\nmcp_servers.unabridged.x = {value}\nb = 1\n", [SERVER]) == text
    assert tables.drop(tables.put(text, ROWS), list(ROWS)) == text
    table = f"[mcp_servers.unabridged]\nx = {value}\n[other]\ny = {value}\n"
    assert tables.drop(f"{text}{table}", [SERVER]) == f"{text}[other]\ny = {value}\n"


def test_very_many_tables_and_lines_are_gone_through_once() -> None:
    many = "".join(f"[mcp_servers.unabridged.tools.t{number}]\nx = 1\n" for number in range(3_000))
    long = 'a = """\n' + "[mcp_servers.unabridged]\n" * 3_000 + '"""\n'
    assert tables.drop(long + "mcp_servers.unabridged.y = 1\n" + many, [SERVER]) == long


def test_a_table_that_stands_in_one_row_with_others_is_left_and_named() -> None:
    with pytest.raises(HostFileUnclear):
        tables.drop("mcp_servers = { unabridged = { a = 1 }, x = { b = 1 } }\n", [SERVER])


def test_a_row_of_the_same_name_in_an_array_of_tables_is_not_ours() -> None:
    text = "mcp_servers.unabridged.a = 1\n[[t]]\nmcp_servers.unabridged.a = 1\n"
    assert tables.drop(text, [SERVER]) == "[[t]]\nmcp_servers.unabridged.a = 1\n"
