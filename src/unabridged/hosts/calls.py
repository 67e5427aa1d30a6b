"""How a tool call reads: its text, the files that it names, whether it is this product's own."""

from __future__ import annotations

import re
from typing import Any, cast

import msgspec

from unabridged.hosts.contract import Piece, Ref

MAX_LEAVES = 512  # labelled values of one call; the rest is given as compact JSON
MAX_DEPTH = 6  # levels of labels; deeper values are given as compact JSON
MAX_PATHS = 64  # files that one call may name
SHORT = 48  # characters; a shorter string is stored as a literal, since a reference to it would be larger

PATH_KEYS = frozenset(
    (
        "file_path",
        "filePath",
        "filepath",
        "path",
        "notebook_path",
        "notebookPath",
        "cwd",
        "workdir",
        "file",
        "filename",
    )
)

# What begins a shell command that runs this product: maybe behind `cd …&&`, variables, a runner or a folder.
_OWN_COMMAND = re.compile(
    r"\s*(?:cd [^&;|\n]{1,300}(?:&&|;)\s*)?(?:\w{1,64}=\S{0,300}\s+){0,8}"
    r"(?:(?:uvx|uv run|pipx run|python3? -m|exec|command|time)\s+)?(?:[\w.~/-]{0,200}/)?"
    r"(?:una|unabridged(?:\.[\w.]{1,40})?)(?:[\s;|&]|$)"
)
OWN_NAME = "unabridged"
OWN_MARK = "<unabridged"  # begins every text that this product injects into a conversation
OWN_KEY = "unabridged"  # the first key of every object that its MCP server answers with
_OWN_RESULT = (OWN_MARK.encode(), b'{"%b":' % OWN_KEY.encode())

_encoder = msgspec.json.Encoder()


def call_pieces(name: str, arguments: Any, path: tuple[int | str, ...]) -> tuple[Piece, ...]:
    """Return the rendering of a call: the tool's name, then one `label: value` a line in the host's own order.

    `path` is where `arguments` stands in the line. String leaves are references (short ones literals); a nested value
    has labels such as `edits[0].old_string`; numbers, booleans, null and empty containers are JSON.
    """
    pieces: list[Piece] = []
    text = [name]
    if isinstance(arguments, str):
        text.append("\n")
        _string(arguments, path, text, pieces)
    elif isinstance(arguments, dict):
        left = MAX_LEAVES
        for key, value in cast("dict[str, Any]", arguments).items():
            left = _render(key, value, (*path, key), text, pieces, left, 1)
    elif arguments is not None:
        text.append("\n" + compact(arguments))
    if text:
        pieces.append("".join(text))
    return tuple(pieces)


def _string(value: str, path: tuple[int | str, ...], text: list[str], pieces: list[Piece]) -> None:
    if len(value) < SHORT:
        text.append(value)
        return
    pieces.append("".join(text))
    pieces.append(Ref(path, value))
    text.clear()


def _render(
    label: str,
    value: Any,
    path: tuple[int | str, ...],
    text: list[str],
    pieces: list[Piece],
    left: int,
    depth: int,
) -> int:
    """Append one labelled value; return how many leaves may still follow."""
    if isinstance(value, str):
        text.append(f"\n{label}: ")
        _string(value, path, text, pieces)
        return left - 1
    if not value or not isinstance(value, (dict, list)) or depth >= MAX_DEPTH or left <= 0:
        text.append(f"\n{label}: {compact(value)}")
        return left - 1
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            left = _render(f"{label}.{key}", item, (*path, key), text, pieces, left, depth + 1)
        return left
    for index, item in enumerate(cast("list[Any]", value)):
        left = _render(f"{label}[{index}]", item, (*path, index), text, pieces, left, depth + 1)
    return left


def compact(value: Any) -> str:
    """Return a JSON value without spaces, keys in the host's order."""
    return _encoder.encode(value).decode("utf-8")


def named_paths(arguments: Any) -> tuple[str, ...]:
    """Return the files and folders that a call's arguments name at the top level, without repetitions."""
    if not isinstance(arguments, dict):
        return ()
    found: list[str] = []
    for key, value in cast("dict[str, Any]", arguments).items():
        if key in PATH_KEYS and isinstance(value, str) and value and value not in found:
            found.append(value)
    return tuple(found[:MAX_PATHS])


def is_own_call(tool: str, arguments: Any) -> bool:
    """Tell whether a call uses this product: a tool of its MCP server, or a shell command that runs it."""
    if OWN_NAME in tool.lower():
        return True
    if not isinstance(arguments, dict):
        return False
    row = cast("dict[str, Any]", arguments)
    command = row.get("command") or row.get("cmd")
    return command is not None and is_own_command(command)


def is_own_command(command: Any) -> bool:
    """Tell whether a shell command (a string, or the list that Codex writes) runs this product."""
    if isinstance(command, list) and command:
        command = cast("list[Any]", command)[-1]
    return isinstance(command, str) and _OWN_COMMAND.match(command) is not None


def is_own_text(text: str) -> bool:
    """Tell whether a text was injected by this product."""
    return text.startswith(OWN_MARK)


def is_own_result(rendering: bytes) -> bool:
    """Tell whether a tool's result was made by this product's MCP server, under whatever name it is registered."""
    return rendering.startswith(_OWN_RESULT)


def base64_size(encoded: str) -> int:
    """Return how many bytes a base64 string (or the data part of a data URL) decodes to."""
    start = encoded.find(",") + 1 if encoded.startswith("data:") else 0
    length = len(encoded) - start
    padding = encoded.count("=", max(start, len(encoded) - 2))
    return max(0, length * 3 // 4 - padding)
