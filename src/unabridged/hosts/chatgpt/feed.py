"""A conversation of an export as lines: `{"conversation": …}`, then `{"node": …}` for each node of its tree.

A node's line holds its exact JSON text, and beside it what its reading needs of the nodes above: `above` is the nearest
one that says something, `call` the tool call that it answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import msgspec

from unabridged.hosts import exports, tree
from unabridged.hosts.chatgpt.discover import CONVERSATION, NODE
from unabridged.hosts.chatgpt.parts import is_call, message_parts
from unabridged.hosts.given import Row
from unabridged.hosts.lines import values
from unabridged.hosts.oneline import one_line

TOOL = "tool"  # the role of an answer

_encode = msgspec.json.Encoder().encode


class _Node(NamedTuple):
    """A node of the tree as far as others need it."""

    data: msgspec.Raw
    parent: str
    role: str
    calls: bool
    speaks: bool


def rows(texts: list[bytes]) -> Iterator[Row]:
    """Yield the lines of a conversation from its JSON text, given once for each time that the export holds it."""
    for text in texts:
        members = exports.members_of(text)
        nodes = _nodes(members.pop("mapping", msgspec.Raw(b"{}")))
        yield Row(CONVERSATION, b'{"%b":%b}\n' % (CONVERSATION.encode(), one_line(_encode(members))))
        parents = {name: node.parent for name, node in nodes.items()}
        order = tree.branches(parents, exports.string_of(members.get("current_node")))
        above = tree.nearest(order, parents, {name for name, node in nodes.items() if node.speaks})
        call = tree.nearest(order, parents, {name for name, node in nodes.items() if node.role != TOOL})
        for name in order:
            beside = {"above": above[name], "call": _call(nodes, name, call[name])}
            yield Row(name, _line(nodes[name].data, {key: value for key, value in beside.items() if value}))


def _line(data: msgspec.Raw, beside: dict[str, str]) -> bytes:
    rest = _encode(beside)[1:-1] if beside else b""
    return b'{"%b":%b%b%b}\n' % (NODE.encode(), one_line(bytes(data)), b"," if rest else b"", rest)


def _nodes(mapping: msgspec.Raw) -> dict[str, _Node]:
    return {name: _node(data) for name, data in exports.members_of(mapping).items()}


def _node(data: msgspec.Raw) -> _Node:
    value: Any = next(iter(values(bytes(data)).items), None)
    node = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    parent: Any = node.get("parent")
    raw: Any = node.get("message")
    message = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    author: Any = message.get("author")
    role: Any = cast("dict[str, Any]", author).get("role") if isinstance(author, dict) else ""
    return _Node(
        data,
        parent if isinstance(parent, str) else "",
        role if isinstance(role, str) else "",
        is_call(message),
        bool(message_parts(message, ())),
    )


def _call(nodes: dict[str, _Node], name: str, above: str) -> str:
    """Return the call that a tool's message answers: what stands above it and other answers, where that is a call."""
    return above if nodes[name].role == TOOL and above and nodes[above].calls else ""
