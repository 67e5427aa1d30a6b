"""The archive asked by a model: arguments read, the operation run, its answer written as a model reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

import msgspec

from unabridged.errors import DeadlineExceeded, InvalidInput, UnabridgedError
from unabridged.gateway.offered.contract import ToolCall
from unabridged.gateway.offered.toolloop import ToolResult
from unabridged.gateway.offered.tools import OURS
from unabridged.service.tools import answers
from unabridged.service.tools.arguments import parameters

SECONDS = 15.0  # that one call may take
MOST_TOKENS = 8_000  # of one result, where the operation takes a budget
DEFAULT_TOKENS = 4_000

Operation = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
Clock = Callable[[], float]


async def ask(asked: ToolCall, most: int, operation: Operation, clock: Clock) -> ToolResult:
    """Return what the archive says to a call, in at most about `most` tokens. A fault is an answer, too."""
    began = clock()
    tool = OURS[asked.name]
    try:
        given = _arguments(asked.arguments)
        wanted = parameters(tool, given)
        if any(argument.name == "max_tokens" for argument in tool.arguments):
            said = int(wanted.get("max_tokens") or DEFAULT_TOKENS)
            wanted["max_tokens"] = min(said, most, MOST_TOKENS)
        async with asyncio.timeout(SECONDS):
            answer = await operation(tool.op, wanted)
    except TimeoutError:
        return ToolResult(answers.error_text(DeadlineExceeded()), failed=True, seconds=clock() - began)
    except UnabridgedError as error:
        return ToolResult(answers.error_text(error), failed=True, seconds=clock() - began)
    quoted = tuple(dict.fromkeys(_documents(answer)))
    return ToolResult(answers.text(tool, answer), documents=quoted, seconds=clock() - began)


def _arguments(raw: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(raw or b"{}", type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("the arguments are no JSON object", hint="Give a JSON object.") from error


def _documents(value: object) -> Iterator[str]:
    """Yield the documents that an answer names."""
    if isinstance(value, Mapping):
        for name, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            if name == "document" and isinstance(inner, str):
                yield inner
            else:
                yield from _documents(inner)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _documents(inner)  # pyright: ignore[reportUnknownArgumentType]
