"""What Anthropic Messages refuses of a conversation: pairs, order, first role, cache marks, block types.

The rules are those of the public API reference (2026-11): results answer the calls of the turn before, ahead of
anything else in their turn; at most four cache marks, none on reasoning; the first turn is the user's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import msgspec

from unabridged.window.providers import checking
from unabridged.window.providers.checking import at, decoded
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.marks import MARKS_MOST
from unabridged.window.providers.reading import NONE

NAME = "messages"
ROLES = frozenset({"user", "assistant", "system"})
NEVER = {
    "user": frozenset({"tool_use", "thinking", "redacted_thinking", "server_tool_use"}),
    "assistant": frozenset({"tool_result"}),
}
UNMARKABLE = frozenset({"thinking", "redacted_thinking"})


class _Inner(msgspec.Struct, gc=False):
    cache_control: msgspec.Raw = NONE


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str = ""
    tool_use_id: str = ""
    cache_control: msgspec.Raw = NONE
    content: msgspec.Raw = NONE


class _Message(msgspec.Struct, gc=False):
    role: str
    content: str | list[_Block]


class _Tool(msgspec.Struct, gc=False):
    cache_control: msgspec.Raw = NONE


class _Body(msgspec.Struct, gc=False):
    messages: list[_Message]
    system: str | list[_Tool] = ""
    tools: list[_Tool] | None = None


class _Turn:
    """Neighbouring messages of one role, which the provider takes as one."""

    def __init__(self, role: str, index: int) -> None:
        self.role, self.index = role, index
        self.blocks = list[_Block]()


_body = msgspec.json.Decoder(_Body)
_inner = msgspec.json.Decoder(list[_Inner])


def problems(body: bytes) -> tuple[Problem, ...]:
    """Return what the provider would refuse; raise `NotUnderstood`."""
    given = decoded(_body, body)
    turns = _turns(given.messages)
    if not turns:
        return (Problem(checking.NO_MESSAGES, NAME),)
    found = [at(NAME, 0, checking.FIRST_ROLE)] if turns[0].role != "user" else []
    found += _messages(given.messages)
    found += _pairs(turns)
    if body.count(b'"cache_control"') > MARKS_MOST and _marks(given) > MARKS_MOST:
        found.append(Problem(checking.TOO_MANY_MARKS, NAME))
    return tuple(found)


def _turns(messages: list[_Message]) -> list[_Turn]:
    """Return the turns; system messages may stand between and are none."""
    turns = list[_Turn]()
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        if not turns or turns[-1].role != message.role:
            turns.append(_Turn(message.role, index))
        if not isinstance(message.content, str):
            turns[-1].blocks += message.content
    return turns


def _messages(messages: list[_Message]) -> Iterator[Problem]:
    last = len(messages) - 1
    for index, message in enumerate(messages):
        if message.role not in ROLES:
            yield at(NAME, index, checking.UNKNOWN_ROLE)
        if not message.content and message.role != "system" and (message.role == "user" or index < last):
            yield at(NAME, index, checking.EMPTY)
        if isinstance(message.content, str):
            continue
        never = NEVER.get(message.role, frozenset())
        for block in message.content:
            if block.type in never:
                yield at(NAME, index, checking.BLOCK_TYPE)
            if _given(block.cache_control) and block.type in UNMARKABLE:
                yield at(NAME, index, checking.MARK_PLACE)


def _pairs(turns: list[_Turn]) -> Iterator[Problem]:
    before, seen = set[str](), set[str]()
    for turn in turns:
        results = [block.tool_use_id for block in turn.blocks if block.type == "tool_result"]
        if turn.role == "user":
            if set(results) - before:
                yield at(NAME, turn.index, checking.UNPAIRED_RESULT)
            if before - set(results):
                yield at(NAME, turn.index, checking.UNPAIRED_CALL)
            if results and _late(turn.blocks):
                yield at(NAME, turn.index, checking.ORDER)
        calls = [block.id for block in turn.blocks if block.type == "tool_use"]
        if seen & set(calls) or len(set(calls)) < len(calls):
            yield at(NAME, turn.index, checking.REPEATED_CALL)
        seen |= set(calls)
        before = set(calls if turn.role == "assistant" else ())
    if before:
        yield at(NAME, turns[-1].index, checking.UNPAIRED_CALL)


def _late(blocks: list[_Block]) -> bool:
    """Tell whether a result stands behind something else of its turn."""
    kinds = [block.type == "tool_result" for block in blocks]
    return any(later and not earlier for earlier, later in pairwise(kinds))


def _marks(body: _Body) -> int:
    outside = [*(body.tools or ()), *([] if isinstance(body.system, str) else body.system)]
    count = sum(_given(block.cache_control) for block in outside)
    for message in body.messages:
        for block in () if isinstance(message.content, str) else message.content:
            count += _given(block.cache_control)
            if b'"cache_control"' in bytes(block.content):
                count += _inside(block.content)
    return count


def _inside(content: msgspec.Raw) -> int:
    """Return the marks on the blocks of a result."""
    try:
        return sum(_given(block.cache_control) for block in _inner.decode(content))
    except msgspec.DecodeError:
        return 0


def _given(mark: msgspec.Raw) -> bool:
    return bytes(mark) not in (b"", b"null")
