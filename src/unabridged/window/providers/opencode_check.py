"""What a conversation of OpenCode must hold to be sent: known roles, messages with parts, tools with a whole state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.hosts.wire.hosted import OVER, TOOL
from unabridged.window.providers import checking
from unabridged.window.providers.checking import at, decoded, each, list_of, repeated
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.reading import NONE, length

NAME = "messages"
ROLES = frozenset({"user", "assistant"})


class _State(msgspec.Struct, gc=False):
    status: str | None = ""
    input: msgspec.Raw = NONE
    output: str | None = None
    error: str | None = None


class _Part(msgspec.Struct, gc=False):
    type: str | None = ""
    text: str | None = None
    call: str | None = msgspec.field(default="", name="callID")
    state: _State | None = None


class _Info(msgspec.Struct, gc=False):
    role: str | None = ""
    id: str | None = ""


class _Message(msgspec.Struct, gc=False):
    info: _Info = msgspec.field(default_factory=_Info)
    parts: list[_Part] = []


class _Body(msgspec.Struct, gc=False):
    messages: list[_Message]


_body, _message = msgspec.json.Decoder(_Body), msgspec.json.Decoder(_Message)


def problems(body: bytes) -> tuple[Problem, ...]:
    """Return what is wrong; raise `NotUnderstood`."""
    whole = decoded(_body, body)
    messages = whole.messages if whole else each(_message, list_of(body, NAME), _Message())
    if not messages:
        return (Problem(checking.NO_MESSAGES, NAME),)
    found = [at(NAME, 0, checking.FIRST_ROLE)] if messages[0].info.role != "user" else []
    return (*found, *_messages(messages))


def _messages(messages: Sequence[_Message]) -> Iterator[Problem]:
    seen = set[str]()
    for index, message in enumerate(messages):
        if message.info.role not in ROLES or not message.info.id:
            yield at(NAME, index, checking.UNKNOWN_ROLE)
        calls = [part.call or "" for part in message.parts if part.type == TOOL]
        yield from (at(NAME, index, checking.REPEATED_CALL, call) for call in repeated(calls, seen))
        for part in message.parts:
            if part.type == TOOL and message.info.role != "assistant":
                yield at(NAME, index, checking.BLOCK_TYPE)
            if (part.type == TOOL and not _whole(part)) or (part.type == "text" and part.text is None):
                yield at(NAME, index, checking.EMPTY)


def _whole(part: _Part) -> bool:
    state = part.state
    if state is None or not part.call:
        return False
    if state.status not in OVER:
        return True
    said = state.output if state.status == "completed" else state.error
    return said is not None and bytes(memoryview(state.input)[:1]) == b"{" and length(state.input) > 1
