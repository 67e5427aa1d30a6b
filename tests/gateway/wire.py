"""What goes over the wire in tests: conversations, answers, providers that say them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.gateway.serving import Stand, standing
from tests.gateway.upstream import Act, Asked

MESSAGES, COUNT = "/v1/messages", "/v1/messages/count_tokens"


def anthropic(*texts: str, stop: bool = True, tokens: int = 900) -> list[bytes]:
    """The events of an answer that says these pieces."""
    usage = {"input_tokens": tokens, "output_tokens": 1}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": f"msg_{tokens}", "role": "assistant", "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
            for text in texts
        ),
    ]
    if stop:
        events += [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


async def answers(asked: Asked) -> None:
    """Answer as a model does."""
    await asked.stream(*anthropic("The ", "answer.", tokens=len(asked.body) // 4))


def talk(turns: int, first: str = "question") -> list[dict[str, Any]]:
    """A conversation of so many turns, and a question."""
    found = list[dict[str, Any]]()
    for number in range(turns):
        found += [
            {"role": "user", "content": f"{first} {number} " + "word " * 100},
            {"role": "assistant", "content": f"answer {number}"},
        ]
    return [*found, {"role": "user", "content": "and now?"}]


def said(*texts: str) -> list[dict[str, Any]]:
    """What the assistant says, then the user, and so on."""
    return [{"role": ("assistant", "user")[at % 2], "content": text} for at, text in enumerate(texts)]


def body(messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A request."""
    return {"model": "claude-x", "max_tokens": 10, "stream": True, **more, "messages": messages}


def run(folder: Path, act: Act, check: Callable[[Stand], Awaitable[None]], **how: Any) -> None:
    """Have a check made of a standing gateway."""

    async def main() -> None:
        async with standing(folder / "g", act, **how) as stand:
            await check(stand)

    asyncio.run(main())
