"""What Chat Completions refuses of a conversation: calls that are not answered next, answers to no call, roles.

The rules are those of the public API reference (2026-11): the messages behind one with calls answer each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.window.providers import checking
from unabridged.window.providers.checking import at, decoded
from unabridged.window.providers.contract import Problem

NAME = "messages"
ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})


class _Call(msgspec.Struct, gc=False):
    id: str = ""


class _Message(msgspec.Struct, gc=False):
    role: str
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None


class _Body(msgspec.Struct, gc=False):
    messages: list[_Message]


_body = msgspec.json.Decoder(_Body)


def problems(body: bytes) -> tuple[Problem, ...]:
    """Return what the provider would refuse; raise `NotUnderstood`."""
    messages = decoded(_body, body).messages
    if not messages:
        return (Problem(checking.NO_MESSAGES, NAME),)
    return (*_first(messages), *_pairs(messages))


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
            if message.tool_call_id not in waiting:
                yield at(NAME, index, checking.UNPAIRED_RESULT)
            waiting.discard(message.tool_call_id or "")
            continue
        if waiting:
            yield at(NAME, asked_at, checking.UNPAIRED_CALL)
        calls = [call.id for call in message.tool_calls or ()]
        if len(set(calls)) < len(calls):
            yield at(NAME, index, checking.REPEATED_CALL)
        waiting, asked_at = set(calls), index
    if waiting:
        yield at(NAME, asked_at, checking.UNPAIRED_CALL)
