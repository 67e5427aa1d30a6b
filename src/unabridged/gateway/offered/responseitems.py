"""Items of OpenAI Responses: told apart in a history, and a response without what it says of our tools."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.gateway.offered.tools import MARK, OURS
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import (
    FAILURES,
    NotUnderstood,
    elements,
    member_spans,
    members,
    replaced,
    text,
)

REASONING, MESSAGE = "reasoning", "message"


class _Content(msgspec.Struct):
    type: str = ""
    text: str = ""


class Head(msgspec.Struct):
    """What an item is."""

    type: str = ""
    id: str | None = None
    call_id: str = ""
    name: str = ""
    namespace: str | None = None
    arguments: str = ""
    role: str = ""
    content: msgspec.Raw = NONE


_head = msgspec.json.Decoder(Head)
_content = msgspec.json.Decoder(str | list[_Content])


def head_of(raw: bytes) -> Head:
    """Return what an item is; an empty one where it is none."""
    try:
        return _head.decode(raw)
    except FAILURES:
        return Head()


def identity(raw: bytes) -> bytes | None:
    """Return what tells an item from others whoever wrote it down: None for reasoning, nothing for an empty message."""
    head = head_of(raw)
    if head.type == REASONING:
        return None
    if head.role or head.type == MESSAGE:
        said = _said(head.content).strip()
        return b"text\0" + said.encode("utf-8", "surrogatepass") if said else b""
    if not head.type:
        return raw
    return f"{head.type}\0{head.call_id or head.id or ''}".encode()


def identities(raws: Sequence[bytes]) -> list[bytes | None]:
    """Return the identities of items."""
    return [identity(raw) for raw in raws]


def _said(content: msgspec.Raw) -> str:
    try:
        found = _content.decode(content)
    except FAILURES:
        return ""
    return found if isinstance(found, str) else "".join(block.text for block in found)


def without_ours(response: bytes) -> bytes:
    """Return a response object, which repeats the tools of its request, without ours."""
    if MARK not in response:
        return response
    try:
        span = member_spans(response)["tools"]
        kept = [bytes(one) for one in elements(response[slice(*span)]) if _name(bytes(one)) not in OURS]
    except (NotUnderstood, KeyError):
        return response
    return replaced(response, [(span, b"[" + b",".join(kept) + b"]")])


def _name(tool: bytes) -> str:
    try:
        return text(members(tool)["name"])
    except (NotUnderstood, KeyError):
        return ""
