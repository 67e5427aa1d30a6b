"""What Chat Completions refuses of a conversation: calls that are not answered next, answers to no call, roles.

The rules are those of the public API reference (2026-11): the messages behind one with calls answer each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.window.providers import checking
from unabridged.window.providers.checking import at, decoded, list_of, repeated
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import elements

NAME = "messages"
ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})


class _Call(msgspec.Struct, gc=False):
    id: str | None = ""


class _Message(msgspec.Struct, gc=False):
    role: str | None = ""
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None


class _Body(msgspec.Struct, gc=False):
    messages: list[_Message]


class _Loose(msgspec.Struct, gc=False):
    """A message of which a member has not the form that it should have."""

    role: msgspec.Raw = NONE


_body = msgspec.json.Decoder(_Body)
_message = msgspec.json.Decoder(_Message)
_loose = msgspec.json.Decoder(_Loose)
_role = msgspec.json.Decoder(str)


def problems(body: bytes) -> tuple[Problem, ...]:
    """Return what the provider would refuse; raise `NotUnderstood`."""
    given = decoded(_body, body)
    messages = given.messages if given is not None else _loosely(body)
    if not messages:
        return (Problem(checking.NO_MESSAGES, NAME),)
    return (*_first(messages), *_pairs(messages))


def _loosely(body: bytes) -> list[_Message]:
    """Return the messages as far as they are of the form that they should have. Raises `NotUnderstood`."""
    raws = elements(list_of(body, NAME))
    return [decoded(_message, bytes(raw)) or _Message(_role_of(bytes(raw))) for raw in raws]


def _role_of(raw: bytes) -> str:
    loose = decoded(_loose, raw)
    return (decoded(_role, bytes(loose.role)) if loose is not None else None) or ""


def _first(messages: Sequence[_Message]) -> Iterator[Problem]:
    spoken = [message.role for message in messages if message.role not in ("system", "developer")]
    if spoken and spoken[0] != "user":
        yield at(NAME, 0, checking.FIRST_ROLE)
    for index, message in enumerate(messages):
        if message.role not in ROLES:
            yield at(NAME, index, checking.UNKNOWN_ROLE)


def _pairs(messages: Sequence[_Message]) -> Iterator[Problem]:
    waiting, asked_at = set[str](), 0
    for index, message in enumerate(messages):
        if message.role == "tool":
            answered = message.tool_call_id or ""
            if answered not in waiting:
                yield at(NAME, index, checking.UNPAIRED_RESULT, answered)
            waiting.discard(answered)
            continue
        for call in sorted(waiting):
            yield at(NAME, asked_at, checking.UNPAIRED_CALL, call)
        calls = [call.id or "" for call in message.tool_calls or ()]
        for call in repeated(calls, set()):
            yield at(NAME, index, checking.REPEATED_CALL, call)
        waiting, asked_at = set(calls), index
    for call in sorted(waiting):
        yield at(NAME, asked_at, checking.UNPAIRED_CALL, call)
