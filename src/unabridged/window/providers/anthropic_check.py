"""What Anthropic Messages refuses of a conversation: pairs, order, first role, cache marks, block types.

The rules are those of the public API reference (2026-11): results answer the calls of the turn before, ahead of
anything else in their turn; at most four cache marks, none on reasoning; the first turn is the user's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import msgspec

from unabridged.window.providers import checking
from unabridged.window.providers.checking import at, decoded, each, list_of, repeated
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.marks import MARKS_MOST
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import members

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
    type: str | None = ""
    id: str | None = ""
    tool_use_id: str | None = ""
    cache_control: msgspec.Raw = NONE
    content: msgspec.Raw = NONE


class _Message(msgspec.Struct, gc=False):
    role: str | None = ""
    content: str | list[_Block] | None = ""


class _Tool(msgspec.Struct, gc=False):
    cache_control: msgspec.Raw = NONE


class _Body(msgspec.Struct, gc=False):
    messages: list[_Message]
    system: str | list[_Tool] | None = ""
    tools: list[_Tool] | None = None


class _Loose(msgspec.Struct, gc=False):
    """A message whose content has not the form that it should have."""

    role: msgspec.Raw = NONE
    content: msgspec.Raw = NONE


class _Turn:
    """Neighbouring messages of one role, which the provider takes as one."""

    def __init__(self, role: str, index: int) -> None:
        self.role, self.index = role, index
        self.blocks = list[_Block]()


_body = msgspec.json.Decoder(_Body)
_inner = msgspec.json.Decoder(list[_Inner])
_role = msgspec.json.Decoder(str)
_block = msgspec.json.Decoder(_Block)
_tool = msgspec.json.Decoder(_Tool)
_loose = msgspec.json.Decoder(_Loose)


def problems(body: bytes) -> tuple[Problem, ...]:
    """Return what the provider would refuse; raise `NotUnderstood`."""
    given = decoded(_body, body) or _loosely(body)
    turns = _turns(given.messages)
    if not turns:
        return (Problem(checking.NO_MESSAGES, NAME),)
    found = [at(NAME, 0, checking.FIRST_ROLE)] if turns[0].role != "user" else []
    found += _messages(given.messages)
    found += _pairs(turns)
    if body.count(b'"cache_control"') > MARKS_MOST and _marks(given) > MARKS_MOST:
        found.append(Problem(checking.TOO_MANY_MARKS, NAME))
    return tuple(found)


def _loosely(body: bytes) -> _Body:
    """Return a body as far as its pieces are of the form that they should have. Raises `NotUnderstood`."""
    messages = [
        _Message(decoded(_role, bytes(one.role)), _blocks(bytes(one.content)))
        for one in each(_loose, list_of(body, NAME), _Loose())
    ]
    outside = (bytes(members(body).get(name, b"")) for name in ("system", "tools"))
    return _Body(messages, *(each(_tool, one, _Tool()) if one[:1] == b"[" else [] for one in outside))


def _blocks(content: bytes) -> str | list[_Block]:
    """Return the blocks of a content of any form: what is no block stands for itself."""
    if content[:1] == b"[":
        return each(_block, content, _Block())
    return "" if content in (b"", b"null", b'""') else "said"


def _turns(messages: list[_Message]) -> list[_Turn]:
    """Return the turns; system messages may stand between and are none."""
    turns = list[_Turn]()
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        if not turns or turns[-1].role != message.role:
            turns.append(_Turn(message.role or "", index))
        if not isinstance(message.content, str):
            turns[-1].blocks += message.content or ()
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
        never = NEVER.get(message.role or "", frozenset())
        for block in message.content or ():
            if block.type in never:
                yield at(NAME, index, checking.BLOCK_TYPE)
            if block.type in UNMARKABLE and _given(block.cache_control):
                yield at(NAME, index, checking.MARK_PLACE)


def _pairs(turns: list[_Turn]) -> Iterator[Problem]:
    before, seen = set[str](), set[str]()
    for turn in turns:
        if turn.role == "user":
            results = {block.tool_use_id or "" for block in turn.blocks if block.type == "tool_result"}
            if results != before:
                for call in sorted(results - before):
                    yield at(NAME, turn.index, checking.UNPAIRED_RESULT, call)
                for call in sorted(before - results):
                    yield at(NAME, turn.index, checking.UNPAIRED_CALL, call)
            if results and len(turn.blocks) > len(results) and _late(turn.blocks):
                yield at(NAME, turn.index, checking.ORDER)
        calls = [block.id or "" for block in turn.blocks if block.type == "tool_use"]
        if calls:
            for call in repeated(calls, seen):
                yield at(NAME, turn.index, checking.REPEATED_CALL, call)
        before = set(calls) if turn.role == "assistant" else set[str]()
    for call in sorted(before):
        yield at(NAME, turns[-1].index, checking.UNPAIRED_CALL, call)


def _late(blocks: list[_Block]) -> bool:
    """Tell whether a result stands behind something else of its turn."""
    kinds = [block.type == "tool_result" for block in blocks]
    return any(later and not earlier for earlier, later in pairwise(kinds))


def _marks(body: _Body) -> int:
    outside = [*(body.tools or ()), *([] if isinstance(body.system, str) else body.system or ())]
    count = sum(_given(block.cache_control) for block in outside)
    for message in body.messages:
        for block in () if isinstance(message.content, str) else message.content or ():
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
