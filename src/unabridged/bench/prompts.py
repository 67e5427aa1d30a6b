"""Requests as clients send them, of realistic text: the same conversation in each provider's format."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from unabridged.bench.passages import Passages

STEPS = 4  # calls of a turn
MESSAGES = 2 + 2 * STEPS  # of a turn: the question, each call and its result, the answer
# Characters of each kind of text, so that a thousand messages come to about a MiB in each format.
ASKED, THOUGHT, ARGUMENTS, RESULT, ANSWER = 500, 250, 250, 1_600, 700

Message = dict[str, Any]
Turn = Callable[[int, "Texts"], list[Message]]


class Texts:
    """Cuts the texts of messages from written windows."""

    def __init__(self, writer: Passages) -> None:
        """Take texts from a writer."""
        self._writer = writer
        self._number = 0

    def take(self, kind: str, chars: int) -> str:
        """Return the next text of a kind."""
        self._number += 1
        maker: Callable[[random.Random, int], str] = getattr(self._writer, kind)
        return maker(self._writer.rng(self._number), chars)[:chars]


def bodies(form: str, messages: int, requests: int, writer: Passages) -> Iterator[bytes]:
    """Yield so many requests of one conversation; the last has about so many messages, each one turn more."""
    turns = max(1, messages // MESSAGES)
    texts, made = Texts(writer), list[Message]()
    for number in range(turns):
        made += FORMS[form](number, texts)
        if number >= turns - requests:
            yield _body(form, made)


def _body(form: str, made: list[Message]) -> bytes:
    outer: dict[str, Any] = {"model": "a-model", "stream": True, "max_tokens": 32_000}
    if form == "anthropic":
        *earlier, last = made
        block = {**last["content"][-1], "cache_control": {"type": "ephemeral"}}
        outer |= {
            "system": "You are an agent.",
            "messages": [*earlier, {**last, "content": [*last["content"][:-1], block]}],
        }
    elif form == "responses":
        outer |= {"instructions": "You are an agent.", "input": made, "store": False}
    else:
        outer |= {"messages": [{"role": "system", "content": "You are an agent."}, *made]}
    return json.dumps(outer, ensure_ascii=False, separators=(",", ":")).encode()


def _anthropic(number: int, texts: Texts) -> list[Message]:
    found: list[Message] = [_blocks("user", {"type": "text", "text": texts.take("prose", ASKED)})]
    for step in range(STEPS):
        call = f"toolu_{number}_{step}"
        found += [
            _blocks(
                "assistant",
                {"type": "thinking", "thinking": texts.take("prose", THOUGHT), "signature": "c2ln" * 60},
                {
                    "type": "tool_use",
                    "id": call,
                    "name": "Bash",
                    "input": {"command": texts.take("code", ARGUMENTS)},
                },
            ),
            _blocks(
                "user", {"type": "tool_result", "tool_use_id": call, "content": texts.take("code", RESULT)}
            ),
        ]
    return [*found, _blocks("assistant", {"type": "text", "text": texts.take("prose", ANSWER)})]


def _blocks(role: str, *blocks: Message) -> Message:
    return {"role": role, "content": list(blocks)}


def _responses(number: int, texts: Texts) -> list[Message]:
    found: list[Message] = [_blocks("user", {"type": "input_text", "text": texts.take("prose", ASKED)})]
    for step in range(STEPS):
        call = f"call_{number}_{step}"
        arguments = json.dumps({"command": texts.take("code", ARGUMENTS)})
        found += [
            {"type": "function_call", "call_id": call, "name": "shell", "arguments": arguments},
            {"type": "function_call_output", "call_id": call, "output": texts.take("code", RESULT)},
        ]
    return [*found, _blocks("assistant", {"type": "output_text", "text": texts.take("prose", ANSWER)})]


def _chat(number: int, texts: Texts) -> list[Message]:
    found: list[Message] = [{"role": "user", "content": texts.take("prose", ASKED)}]
    for step in range(STEPS):
        call = f"call_{number}_{step}"
        function = {"name": "shell", "arguments": json.dumps({"command": texts.take("code", ARGUMENTS)})}
        asked = {"id": call, "type": "function", "function": function}
        found += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [asked],
            },
            {"role": "tool", "tool_call_id": call, "content": texts.take("code", RESULT)},
        ]
    return [*found, {"role": "assistant", "content": texts.take("prose", ANSWER)}]


FORMS: Mapping[str, Turn] = {"anthropic": _anthropic, "responses": _responses, "chat": _chat}
