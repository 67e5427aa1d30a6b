"""How a host writes an answer when it sends it back: the same words, some members left out or in another order.

A row is archived under the key of these bytes; where a host writes another form all the same, the row that it sends is
archived beside the answer, under the provider's id of the message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unabridged.window.answers.contract import Json, compact, objects, parsed, texts

CODEX, OPENCODE, PI = "codex", "opencode", "pi"
# The order in which Codex writes the members of each type of item; others follow as they came.
_CODEX = (
    "type",
    "status",
    "id",
    "role",
    "name",
    "namespace",
    "summary",
    "content",
    "input",
    "arguments",
    "call_id",
)
_REWRITTEN = frozenset({OPENCODE, PI})  # hosts that read a call's arguments and write them anew


def as_sent_back(items: Sequence[Mapping[str, Any]], host: str) -> tuple[bytes, ...]:
    """Return an answer's items as a host writes them, each as JSON; one that says nothing is left out."""
    found = (_saying(dict(item)) for item in items)
    return tuple(compact(_item(item, host)) for item in found if item)


def _saying(item: Json) -> Json:
    """Return a message without what a provider takes not back, so that clients leave it out; {} if it is all."""
    if "type" in item:  # of Responses: whatever was answered is sent back
        return item
    content = item.get("content")
    if isinstance(content, list):
        kept = [
            block for block in objects(item, "content") if block.get("type") != "text" or block.get("text")
        ]
        return {**item, "content": kept} if kept else {}
    if "content" not in item:
        item = {"role": item.get("role"), "content": None, **item}
    return item if content or len(item) > 2 else {}  # more than a role and an empty content


def _item(item: Json, host: str) -> Json:
    kind = texts(item, "type")
    if host == CODEX and kind:
        return _ordered(item)
    if host in _REWRITTEN:
        item = _rewritten(item)
    if host == OPENCODE and kind:
        return _bare(item)
    return item


def _ordered(item: Json) -> Json:
    names = [name for name in _CODEX if name in item]
    return {name: item[name] for name in (*names, *(name for name in item if name not in names))}


def _rewritten(item: Json) -> Json:
    if isinstance(item.get("arguments"), str):
        item = {**item, "arguments": compact(parsed(item["arguments"])).decode()}
    calls = objects(item, "tool_calls")
    if not calls:
        return item
    return {**item, "tool_calls": [_rewritten_call(call) for call in calls]}


def _rewritten_call(call: Json) -> Json:
    function = call.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):  # pyright: ignore[reportUnknownMemberType]
        return call
    known: Json = function  # pyright: ignore[reportUnknownVariableType]
    return {**call, "function": {**known, "arguments": compact(parsed(known["arguments"])).decode()}}


def _bare(item: Json) -> Json:
    """Return an item of Responses without what the provider added to it."""
    left = {"id", "status"}
    if item.get("type") == "message":
        content = [
            {name: one for name, one in block.items() if name in ("type", "text")}
            for block in objects(item, "content")
        ]
        return {"role": item.get("role"), "content": content}
    return {name: one for name, one in item.items() if name not in left}
