"""Items of OpenAI Responses: told apart in a history, and a response without what it says of our tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    type: str | None = ""
    text: str | None = ""


class Head(msgspec.Struct):
    """What an item is."""

    type: str | None = ""
    id: str | None = None
    call_id: str | None = ""
    name: str | None = ""
    namespace: str | None = None
    arguments: str | None = ""
    role: str | None = ""
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
    return f"{head.type}\0{head.call_id or head.id or ''}".encode("utf-8", "surrogatepass")


def identities(raws: Sequence[bytes]) -> list[bytes | None]:
    """Return the identities of items."""
    return [identity(raw) for raw in raws]


def _said(content: msgspec.Raw) -> str:
    try:
        found = _content.decode(content)
    except FAILURES:
        return ""
    return found if isinstance(found, str) else "".join(block.text or "" for block in found)


def is_ours(head: Head) -> bool:
    """Tell whether an item is a call of one of our tools."""
    return head.type == "function_call" and head.name in OURS and not head.namespace


def without_ours(response: bytes) -> bytes:
    """Return a response object, which repeats the tools of its request, without ours and without calls of them."""
    if MARK not in response:
        return response
    response = _without(response, "tools", lambda raw: _name(raw) in OURS)
    return _without(response, "output", lambda raw: is_ours(head_of(raw)))


def _without(response: bytes, member: str, ours: Callable[[bytes], bool]) -> bytes:
    try:
        span = member_spans(response)[member]
        listed = elements(response[slice(*span)])
    except (NotUnderstood, KeyError):
        return response
    kept = [bytes(one) for one in listed if not ours(bytes(one))]
    return (
        response if len(kept) == len(listed) else replaced(response, [(span, b"[" + b",".join(kept) + b"]")])
    )


def _name(tool: bytes) -> str:
    try:
        return text(members(tool)["name"])
    except (NotUnderstood, KeyError):
        return ""
