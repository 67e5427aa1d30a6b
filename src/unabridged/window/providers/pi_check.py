"""What a conversation of Pi must hold for every provider: results behind their calls, a person's words first.

Pi itself answers a call that was never answered, and leaves out what failed; a result without its call it cannot mend.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.window.providers import checking
from unabridged.window.providers.checking import at, decoded, each, list_of, repeated
from unabridged.window.providers.contract import Problem

NAME = "messages"
FAILED = frozenset({"error", "aborted"})  # answers that the host does not send
SPOKEN_FIRST = frozenset({"assistant", "toolResult"})


class _Block(msgspec.Struct, gc=False):
    type: str | None = ""
    id: str | None = ""


class _Message(msgspec.Struct, gc=False, rename="camel"):
    role: str | None = ""
    content: str | list[_Block] | None = ""
    tool_call_id: str | None = ""
    stop_reason: str | None = ""


class _Body(msgspec.Struct, gc=False):
    messages: list[_Message]


_body, _message = msgspec.json.Decoder(_Body), msgspec.json.Decoder(_Message)


def problems(body: bytes) -> tuple[Problem, ...]:
    """Return what is wrong; raise `NotUnderstood`."""
    whole = decoded(_body, body)
    messages = whole.messages if whole else each(_message, list_of(body, NAME), _Message())
    if not messages:
        return (Problem(checking.NO_MESSAGES, NAME),)
    first = next((message.role or "" for message in messages if message.role != "system"), "")
    found = [at(NAME, 0, checking.FIRST_ROLE)] if first in SPOKEN_FIRST else []
    return (*found, *_pairs(messages))


def _pairs(messages: Sequence[_Message]) -> Iterator[Problem]:
    waiting, asked_at, seen = set[str](), 0, set[str]()
    for index, message in enumerate(messages):
        if message.role == "toolResult":
            call = message.tool_call_id or ""
            if call not in waiting:
                yield at(NAME, index, checking.UNPAIRED_RESULT, call)
            waiting.discard(call)
            continue
        if waiting and message.role in ("user", "assistant"):
            yield from (at(NAME, asked_at, checking.UNPAIRED_CALL, call) for call in sorted(waiting))
            waiting = set[str]()
        if message.role == "assistant" and message.stop_reason not in FAILED:
            calls = _calls(message)
            yield from (at(NAME, index, checking.REPEATED_CALL, call) for call in repeated(calls, seen))
            waiting, asked_at = set(calls), index
    yield from (at(NAME, asked_at, checking.UNPAIRED_CALL, call) for call in sorted(waiting))


def _calls(message: _Message) -> list[str]:
    blocks = message.content if isinstance(message.content, list) else []
    return [block.id or "" for block in blocks if block.type == "toolCall"]
