"""Requests through the gateway, to a provider that does what a test tells it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.gateway.serving import SMALL, Stand, standing
from tests.gateway.upstream import Asked

MESSAGES = "/v1/messages"


def anthropic(*texts: str, stop: bool = True) -> list[bytes]:
    """The events of an answer that says these pieces."""
    events: list[dict[str, Any]] = [
        {
            "type": "message_start",
            "message": {
                "id": "msg_1",
                "role": "assistant",
                "usage": {"input_tokens": 900, "output_tokens": 1},
            },
        },
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
    await asked.stream(*anthropic("The ", "answer."))


def talk(turns: int) -> list[dict[str, Any]]:
    found = list[dict[str, Any]]()
    for number in range(turns):
        found += [
            {"role": "user", "content": f"question {number} " + "word " * 100},
            {"role": "assistant", "content": f"answer {number}"},
        ]
    return [*found, {"role": "user", "content": "and now?"}]


def body(messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"model": "claude-x", "max_tokens": 10, "stream": True, **more, "messages": messages}


def run(folder: Path, act: Any, check: Any, **how: Any) -> None:
    """Have a check made of a standing gateway."""

    async def main() -> None:
        async with standing(folder / "g", act, **how) as stand:
            await check(stand)

    asyncio.run(main())


def test_a_short_conversation_reaches_the_provider_byte_for_byte_and_its_answer_comes_back_so(
    tmp_path: Path,
) -> None:
    async def check(stand: Stand) -> None:
        sent = json.dumps(body(talk(1)), indent=1).encode()
        answer = await stand.post(MESSAGES, sent, authorization="Bearer secret", **{"anthropic-beta": "x"})
        assert answer.content == b"".join(anthropic("The ", "answer."))
        asked = stand.upstream.asked[0]
        assert (asked.method, asked.target, asked.body) == ("POST", "/v1/messages", sent)
        assert (asked.header("authorization"), asked.header("anthropic-beta")) == ("Bearer secret", "x")
        assert "x-unabridged-fault" not in answer.headers

    run(tmp_path, answers, check)


def test_all_that_was_said_is_archived_and_so_is_the_answer_under_the_key_it_comes_back_with(
    tmp_path: Path,
) -> None:
    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(1)))
        await stand.filed()
        raws = [json.loads(row.raw) for row in stand.memory.rows]
        assert raws[:3] == talk(1)
        assert (stand.memory.rows[3].origin, stand.memory.rows[3].message) == ("answer", "msg_1")
        again = [*talk(1), {"role": "assistant", "content": [{"type": "text", "text": "The answer."}]}]
        await stand.post(MESSAGES, body([*again, {"role": "user", "content": "more"}]))
        await stand.filed()
        assert len(stand.memory.names) == 1
        assert [json.loads(row.raw)["role"] for row in stand.memory.rows[4:]] == ["user", "assistant"]

    run(tmp_path, answers, check)


def test_a_long_conversation_is_cut_once_it_is_durable_and_the_cut_stays(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        first = stand.sent()
        assert len(json.dumps(first)) < len(json.dumps(body(talk(12)))) / 2
        assert "question 0" not in json.dumps(first["messages"][1:])
        assert first["messages"][-1] == talk(12)[-1]
        await stand.filed()
        more = [
            *talk(12),
            {"role": "assistant", "content": "The answer."},
            {"role": "user", "content": "more"},
        ]
        await stand.post(MESSAGES, body(more))
        assert stand.sent()["messages"][: len(first["messages"])] == first["messages"]
        await stand.filed()
        told = stand.memory.requests[-1][1]
        assert (told.input, told.output, told.epoch, told.fault) == (900, 9, 1, "")
        assert told.whole > told.sent

    run(tmp_path, answers, check, limits=SMALL)
