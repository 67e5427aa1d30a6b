"""What the formats of hosts' own extensions share: conversations as the host has them, before any provider's form.

A body is `{"model": "provider/model", "cwd": …, "fixed": tokens, "max_tokens": …, "messages": [the host's messages]}`:
`fixed` is what the host sends beside the messages, which it does not show.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from unabridged.window.providers.contract import Request
from unabridged.window.providers.splice import FAILURES, Members, elements, members, without_member

MESSAGES = "messages"
# What the host notes of a part beside what it says; other in each copy of a conversation, or at each look.
NOTES = frozenset(("id", "messageID", "sessionID", "time", "metadata", "title"))


class _Outside(msgspec.Struct, gc=False):
    model: str = ""
    fixed: int = 0


_outside = msgspec.json.Decoder(_Outside)


def told(request: Request) -> Request:
    """Return a request with the model as its host names it, and what the host says of the rest of its prompt."""
    start, end = request.array
    try:
        outside = _outside.decode(request.body[:start] + b"[]" + request.body[end:])
    except FAILURES:
        return request
    conversation = request.conversation
    return msgspec.structs.replace(
        request,
        conversation=msgspec.structs.replace(
            conversation, model=outside.model, fixed=conversation.fixed + max(0, outside.fixed)
        ),
    )


def noted(value: Members, leave: Iterable[str] = NOTES) -> bytes:
    """Return what an object says, in the order of its names, without some of its members."""
    left = set(leave)
    return b"\0".join(name.encode() + b":" + bytes(value[name]) for name in sorted(value) if name not in left)


def bare(raw: bytes) -> bytes:
    """Return what a part says, without what the host notes of it; a tool's state likewise."""
    if raw[:1] != b"{":
        return raw
    found = members(raw)
    state = found.get("state")
    if state is not None and bytes(memoryview(state)[:1]) == b"{":
        found["state"] = msgspec.Raw(noted(members(state)))
    return noted(found)


def listed(value: msgspec.Raw) -> list[bytes]:
    """Return the elements of a list, none for what is no list."""
    return [bytes(one) for one in elements(value)] if bytes(memoryview(value)[:1]) == b"[" else []


def named(raw: bytes, name: str, value: bytes) -> bytes:
    """Return an object with another member first, whatever it had under that name."""
    rest = without_member(raw, name)
    inner = rest[rest.index(b"{") + 1 :]
    return b'{"' + name.encode() + b'":' + value + (b"" if inner.lstrip()[:1] == b"}" else b",") + inner
