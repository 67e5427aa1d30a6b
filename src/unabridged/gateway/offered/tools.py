"""The tools that are offered: their names, their words, their JSON in each provider's form, the same on every request.

They follow the client's own tools, in one order, so that the beginning of a prompt stays what it was.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from unabridged.service.tools.table import BY_NAME, Tool, input_schema

PREFIX = "unabridged_"
MARK = PREFIX.encode()
# Of each tool, the arguments that are offered: every conversation pays for them.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "search": ("query", "limit", "scope", "since", "until", "cursor"),
    "gather": ("query", "max_tokens", "scope", "since", "until", "cursor"),
    "recall": ("target", "neighbors", "max_tokens", "whole"),
}
# What tells that a client has our MCP server among its tools: how hosts name its tools, and how they begin.
SIGNS = (
    b"mcp__unabridged",
    b'"unabridged_',
    BY_NAME["search"].words[:48].encode(),
)


def _offered(name: str) -> Tool:
    tool = BY_NAME[name]
    words = tool.words
    for other in ARGUMENTS:
        words = words.replace(f"`{other}`", f"`{PREFIX}{other}`")
    arguments = tuple(argument for argument in tool.arguments if argument.name in ARGUMENTS[name])
    return dataclasses.replace(tool, name=PREFIX + name, words=words, arguments=arguments)


TOOLS = tuple(_offered(name) for name in ARGUMENTS)
OURS: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}


def _anthropic(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.words, "input_schema": input_schema(tool)}


def _responses(tool: Tool) -> dict[str, Any]:
    return {"type": "function", **_function(tool), "strict": False}


def _chat(tool: Tool) -> dict[str, Any]:
    return {"type": "function", "function": _function(tool)}


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.words, "parameters": input_schema(tool)}


def _encoded(form: Callable[[Tool], dict[str, Any]]) -> bytes:
    return b",".join(msgspec.json.encode(form(tool)) for tool in TOOLS)


ANTHROPIC, RESPONSES, CHAT = _encoded(_anthropic), _encoded(_responses), _encoded(_chat)


def has_ours(data: bytes) -> bool:
    """Tell whether what a client says of its tools names those of our MCP server."""
    return any(sign in data for sign in SIGNS)
