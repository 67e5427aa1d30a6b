"""What OpenAI Responses refuses of a conversation: calls without outputs, outputs without calls, roles, lone reasoning.

The rules are those of the public API reference (2026-11): an output answers a call that stands before it, each call is
answered, and a reasoning item is followed by what it led to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.window.providers import checking
from unabridged.window.providers.checking import at, decoded, each
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import members

NAME = "input"
ROLES = frozenset({"user", "assistant", "system", "developer"})
REASONING, REFERENCE, OUTPUT, CALL = "reasoning", "item_reference", "_output", "_call"


class _Item(msgspec.Struct, gc=False):
    type: str | None = ""
    role: str | None = ""
    call_id: str | None = None


class _Body(msgspec.Struct, gc=False):
    input: str | list[_Item] | None = ""
    previous_response_id: str | None = None
    conversation: msgspec.Raw = NONE


_body = msgspec.json.Decoder(_Body)
_item = msgspec.json.Decoder(_Item)


def problems(body: bytes) -> tuple[Problem, ...]:
    """Return what the provider would refuse; raise `NotUnderstood`."""
    given = decoded(_body, body) or _loosely(body)
    if (
        isinstance(given.input, str)
        or given.previous_response_id
        or bytes(given.conversation) not in (b"", b"null")
    ):
        return ()
    if not given.input:
        return (Problem(checking.NO_MESSAGES, NAME),)
    return (*_roles(given.input), *_pairs(given.input), *_reasoning(given.input))


def _loosely(body: bytes) -> _Body:
    """Return a body as far as its items are of the form that they should have; raise `NotUnderstood` for no object."""
    known = members(body)
    given, before = bytes(known.get(NAME, b"")), bytes(known.get("previous_response_id", b""))
    return _Body(
        each(_item, given, _Item()) if given[:1] == b"[" else "",
        None if before in (b"", b"null", b'""') else "given",
        known.get("conversation", NONE),
    )


def _roles(items: Sequence[_Item]) -> Iterator[Problem]:
    for index, item in enumerate(items):
        if item.role and item.type in (None, "", "message") and item.role not in ROLES:
            yield at(NAME, index, checking.UNKNOWN_ROLE)


def _pairs(items: Sequence[_Item]) -> Iterator[Problem]:
    calls, answered = dict[str, int](), set[str]()
    referenced = any(item.type == REFERENCE for item in items)  # the call may be what is only referred to
    for index, item in enumerate(items):
        if not item.call_id:
            continue
        if not (item.type or "").endswith(OUTPUT):
            if item.call_id in calls:
                yield at(NAME, index, checking.REPEATED_CALL, item.call_id)
            calls[item.call_id] = index
        elif item.call_id in calls or referenced:
            answered.add(item.call_id)
        else:
            yield at(NAME, index, checking.UNPAIRED_RESULT, item.call_id)
    for call, index in calls.items():
        if call not in answered:
            yield at(NAME, index, checking.UNPAIRED_CALL, call)


def _reasoning(items: Sequence[_Item]) -> Iterator[Problem]:
    """Yield reasoning that nothing of the assistant's follows."""
    for index, item in enumerate(items):
        if item.type != REASONING:
            continue
        after = items[index + 1] if index + 1 < len(items) else None
        if after is None or (after.role and after.role != "assistant"):
            yield at(NAME, index, checking.ORDER)
