"""How a tool call reads."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from unabridged.hosts.calls import (
    MAX_LEAVES,
    SHORT,
    base64_size,
    call_pieces,
    is_own_call,
    is_own_command,
    is_own_result,
    is_own_text,
    named_paths,
)
from unabridged.hosts.contract import Piece, Ref

LONG = "x" * SHORT


def text_of(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text if isinstance(piece, Ref) else piece for piece in pieces)


def test_a_call_reads_as_its_name_and_labelled_values() -> None:
    pieces = call_pieces("Bash", {"command": "ls -la", "timeout": 5, "quiet": True, "env": {}}, (0, "input"))
    assert text_of(pieces) == "Bash\ncommand: ls -la\ntimeout: 5\nquiet: true\nenv: {}"


def test_long_strings_are_references_to_where_they_stand() -> None:
    arguments = {"edits": [{"old": LONG, "new": "y"}], "path": "a.py"}
    pieces = call_pieces("Edit", arguments, (1, "input"))
    assert [piece for piece in pieces if isinstance(piece, Ref)] == [
        Ref((1, "input", "edits", 0, "old"), LONG)
    ]
    assert text_of(pieces) == f"Edit\nedits[0].old: {LONG}\nedits[0].new: y\npath: a.py"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(None, "T"), ("text", "T\ntext"), ([1, "a"], 'T\n[1,"a"]'), (7, "T\n7"), ({}, "T")],
)
def test_arguments_of_any_type_read(arguments: Any, expected: str) -> None:
    assert text_of(call_pieces("T", arguments, (0,))) == expected


def test_the_labels_of_one_call_are_bounded() -> None:
    many = {"rows": [{"a": index, "b": LONG} for index in range(5000)]}
    pieces = call_pieces("T", many, (0,))
    assert sum(isinstance(piece, Ref) for piece in pieces) <= MAX_LEAVES
    assert f'{{"a":4999,"b":"{LONG}"}}' in text_of(pieces)
    deep: Any = "end"
    for _ in range(50):
        deep = {"k": deep}
    assert text_of(call_pieces("T", deep, (0,))).count("\n") == 1


def test_files_are_named_once_each() -> None:
    arguments = {"file_path": "/a.py", "path": "/b", "notebook_path": "/a.py", "pattern": "x", "cwd": 3}
    assert named_paths(arguments) == ("/a.py", "/b")
    assert named_paths("text") == ()


@pytest.mark.parametrize(
    "command",
    [
        "una search x",
        "una",
        "unabridged status",
        "  cd /x && una recall y",
        "A=1 B=2 una search x",
        "uvx unabridged search",
        "python3 -m unabridged.app.main status",
        "/usr/local/bin/una x",
        ["bash", "-lc", "una search x"],
    ],
)
def test_a_command_that_runs_this_product_is_its_own(command: Any) -> None:
    assert is_own_command(command)


@pytest.mark.parametrize(
    "command", ["unable to", "echo una", "luna x", "una-hook", "git log # una", "", None, [], ["una", 3]]
)
def test_other_commands_are_not(command: Any) -> None:
    assert not is_own_command(command)


def test_a_call_is_this_products_by_its_tool_or_its_command() -> None:
    assert is_own_call("mcp__unabridged__search", {})
    assert is_own_call("mcp__plugin_unabridged_memory__recall", None)
    assert is_own_call("Bash", {"command": "una search x"})
    assert not is_own_call("Bash", {"command": "ls"})
    assert not is_own_call("mcp__other__search", {"query": "una x"})


def test_a_text_that_this_product_injected_is_known_by_its_mark() -> None:
    assert is_own_text("<unabridged>\nEarlier: …")
    assert not is_own_text("It is unabridged.")


def test_what_our_tools_answered_is_known_whatever_the_server_is_called() -> None:
    assert is_own_result(b'<unabridged tool="search" status="ok">')
    assert is_own_result(b'{"unabridged":"search","label":"..."}')
    assert not is_own_result(b'{"name":"unabridged"}')
    assert not is_own_result(b"")


@pytest.mark.parametrize("size", [0, 1, 2, 3, 100, 1001])
def test_the_size_of_encoded_bytes_is_known_without_decoding(size: int) -> None:
    encoded = base64.b64encode(bytes(size)).decode()
    assert base64_size(encoded) == size
    assert base64_size(f"data:image/png;base64,{encoded}") == size
