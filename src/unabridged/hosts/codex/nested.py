"""Calls that a script made inside one call, as events note them.

In code mode the model writes a script, and what the script does not print is in no response item. Ids of such calls
begin with `exec-`; events of other calls repeat their response items.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from unabridged.hosts import calls
from unabridged.hosts.codex.parts import Part, piece
from unabridged.hosts.codex.rows import Path, Rare
from unabridged.hosts.contract import Piece
from unabridged.schema.records import ECHO, ERROR

NESTED = "exec-"
NESTED_ID = b'"id":"exec-'  # stands in every line of such an item; other items are not decoded


class Nested(NamedTuple):
    """A finished call: its id and its reading."""

    call: str
    part: Part


def tool_result(rare: Rare, call: str, path: Path) -> Part:
    """Render the result of an MCP call."""
    about = _object(rare.invocation)
    name = f"mcp__{about.get('server')}__{about.get('tool')}"
    return _result(name, call, about.get("arguments"), rare.result, (*path, "result"))


def search_result(rare: Rare, call: str, path: Path) -> Part:
    """Render a web search with the results that the host noted."""
    pieces: list[Piece] = [f"web_search {rare.query or ''}"]
    results: Any = rare.results
    for index, entry in enumerate(cast("list[Any]", results) if isinstance(results, list) else []):
        for key, value in _object(entry).items():
            if isinstance(value, str) and value:
                pieces += (f"\n{key}: ", piece(value, (*path, "results", index, key)))
    return Part("tool-result", "tool", tuple(pieces), 0, "web_search", call)


def item_result(rare: Rare, path: Path) -> Nested | None:
    """Render a finished call as versions from 0.160 note it; None for items of other kinds."""
    row = _object(rare.item)
    kind, call = row.get("type"), row.get("id")
    if not isinstance(call, str) or not call.startswith(NESTED):
        return None
    at = (*path, "item")
    if kind == "McpToolCall":
        name = f"mcp__{row.get('server')}__{row.get('tool')}"
        return Nested(call, _result(name, call, row.get("arguments"), row.get("result"), (*at, "result")))
    shown = row.get("aggregated_output")
    if kind == "CommandExecution" and isinstance(shown, str):
        command = _words(row.get("command"))
        flags = ERROR if row.get("exit_code") else 0
        own = ECHO if calls.is_own_command(command) else 0
        pieces = (f"$ {command}\n", piece(shown, (*at, "aggregated_output")))
        return Nested(call, Part("tool-result", "tool", pieces, flags | own, "exec_command", call))
    return None


def _result(name: str, call: str, arguments: Any, result: Any, path: Path) -> Part:
    flags = ECHO if calls.is_own_call(name, arguments) else 0
    pieces: list[Piece] = [f"{name} {calls.compact(arguments)}" if arguments else name]
    row = _object(result)
    if "Ok" in row:
        row, path = _object(row["Ok"]), (*path, "Ok")
    failure: Any = row.get("Err", result)
    if isinstance(failure, str):
        pieces.append("\n" + failure)
        flags |= ERROR
    content: Any = row.get("content")
    for index, entry in enumerate(cast("list[Any]", content) if isinstance(content, list) else []):
        text = _object(entry).get("text")
        if isinstance(text, str) and text:
            pieces += ("\n", piece(text, (*path, "content", index, "text")))
    if row.get("isError") or row.get("is_error"):
        flags |= ERROR
    return Part("tool-result", "tool", tuple(pieces), flags, name, call)


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _words(command: Any) -> str:
    """Return a command as one line: of `bash -lc …`, what it runs."""
    words = (
        [word for word in cast("list[Any]", command) if isinstance(word, str)]
        if isinstance(command, list)
        else []
    )
    return words[-1] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
