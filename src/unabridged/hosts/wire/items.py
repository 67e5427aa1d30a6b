"""One line of a conversation: whose item it is, in which wire format, and its JSON.

Parts are counted as `window/messages` counts them, so that a name given out by a window finds its part here.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts import longlines
from unabridged.hosts.blocks import Path
from unabridged.hosts.lines import values
from unabridged.hosts.surrogates import whole_pairs
from unabridged.hosts.wire import hosted

MESSAGES, RESPONSES, CHAT = "messages", "responses", "chat"
FORMATS = (MESSAGES, RESPONSES, CHAT, hosted.PI, hosted.OPENCODE)

Members = dict[str, msgspec.Raw]


class Facts(msgspec.Struct, frozen=True):
    """What a line says of its item. `raw` is its JSON; `quoted` the same as a string, where that has line feeds."""

    item: str = ""
    origin: str = ""
    format: str = ""
    message: str = ""
    time: str = ""
    raw: msgspec.Raw = msgspec.Raw(b"")
    quoted: str = ""

    @property
    def data(self) -> bytes:
        """The item's JSON as bytes."""
        return self.quoted.encode("utf-8", "replace") if self.quoted else bytes(self.raw)

    @property
    def place(self) -> Path | None:
        """Where the item stands decoded in its line; None where it does not."""
        return None if self.quoted else (0, "raw")


_facts: msgspec.json.Decoder[Facts] = msgspec.json.Decoder(Facts)
_any: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_members: msgspec.json.Decoder[Members] = msgspec.json.Decoder(Members)
_list: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


def facts_of(line: bytes) -> Facts | None:
    """Return what a line says, None for one that is none of ours; halves of surrogate pairs are U+FFFD."""
    try:
        return _facts.decode(line)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return _facts.decode(whole_pairs(line))
    except (msgspec.DecodeError, RecursionError):
        return None


def decoded(data: bytes) -> dict[str, Any] | None:
    """Return an item's JSON; None where it is no object. Strings hold U+FFFD for lone surrogates."""
    try:
        found: Any = longlines.decode(data, _any)
    except (msgspec.DecodeError, RecursionError):
        items = values(data).items
        found = items[0] if items else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def text_of_part(form: str, data: bytes, at: int) -> str | None:
    """Return the text of a part as a window names it: what is said, a result's text, a call's arguments as written.

    None for a part that is not there or has no text.
    """
    item = decoded(data)
    if item is None or at < 0:
        return None
    if form in hosted.FORMATS:
        return hosted.text_of_part(form, item, data, at)
    if form == MESSAGES:
        return _messages(item, data, at)
    if form == RESPONSES:
        return _responses(item, at)
    return _chat(item, at)


def _messages(item: dict[str, Any], data: bytes, at: int) -> str | None:
    content = item.get("content")
    if isinstance(content, str):
        return content if at == 0 else None
    block = _at(content, at)
    if block is None:
        return None
    kind = block.get("type")
    if kind == "tool_use":
        return _arguments(data, at)
    if kind == "tool_result":
        return joined(block.get("content"))
    return _string(block, "text") if kind == "text" else None


def _arguments(data: bytes, at: int) -> str:
    """Return a call's arguments with every byte of theirs."""
    try:
        block = _members.decode(_list.decode(_members.decode(data)["content"])[at])
        return bytes(block["input"]).decode("utf-8", "replace")
    except (msgspec.DecodeError, KeyError, IndexError, RecursionError):
        return "{}"


def _responses(item: dict[str, Any], at: int) -> str | None:
    if item.get("role") and item.get("type", "message") in ("", "message"):
        content = item.get("content")
        if isinstance(content, str):
            return content if at == 0 else None
        block = _at(content, at)
        return _string(block, "text") if block is not None else None
    if at:
        return None
    if str(item.get("type", "")).endswith("_output"):
        return joined(item.get("output"))
    given = item.get("arguments")
    given = given if isinstance(given, str) else item.get("input")
    return given if isinstance(given, str) else None


def _chat(item: dict[str, Any], at: int) -> str | None:
    content = item.get("content")
    if item.get("role") in ("tool", "function"):
        return joined(content) if at == 0 else None
    texts: list[Any] = cast("list[Any]", content) if isinstance(content, list) else []
    count = len(texts) if isinstance(content, list) else int(isinstance(content, str))
    if at < count:
        if isinstance(content, str):
            return content
        block = _at(texts, at)
        return _string(block, "text") if block is not None else None
    return _chat_call(item, at - count)


def _chat_call(item: dict[str, Any], at: int) -> str | None:
    calls = item.get("tool_calls")
    call = _at(calls, at)
    count = len(cast("list[Any]", calls)) if isinstance(calls, list) else 0
    if call is None:
        old = item.get("function_call")
        return (
            _string(cast("dict[str, Any]", old), "arguments")
            if at == count and isinstance(old, dict)
            else None
        )
    for name, field in (("function", "arguments"), ("custom", "input")):
        inner = call.get(name)
        if isinstance(inner, dict):
            return _string(cast("dict[str, Any]", inner), field)
    return None


def joined(content: Any) -> str:
    """Return a result's texts, one behind the other on lines of their own."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    blocks = [
        cast("dict[str, Any]", block) for block in cast("list[Any]", content) if isinstance(block, dict)
    ]
    return "\n".join([text for block in blocks if isinstance(text := block.get("text"), str)])


def _at(content: Any, at: int) -> dict[str, Any] | None:
    if not isinstance(content, list) or at >= len(cast("list[Any]", content)):
        return None
    block: Any = cast("list[Any]", content)[at]
    return cast("dict[str, Any]", block) if isinstance(block, dict) else None


def _string(block: dict[str, Any], name: str) -> str:
    value = block.get(name)
    return value if isinstance(value, str) else ""
