"""The Anthropic Messages API for `Provider`: streamed and whole answers, token counts, what the real one refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.support.provider import Answer, Reply, as_json, sse

# The form of a signature, which clients send back unread.
SIGNATURE = "bm90IGEgcmVhbCBzaWduYXR1cmU="
MARKS_MOST = 4  # cache marks that the API takes in one request
PIECE = 40  # characters of one delta

_numbers = count(1)


def takes(path: str) -> bool:
    return path in ("/messages", "/messages/count_tokens")


def messages(body: Any) -> list[Any]:
    return list(body.get("messages") or [])


def has_tools(body: Any) -> bool:
    return bool(body.get("tools"))


def answer(path: str, body: Any, reply: Reply) -> Answer:
    if path.endswith("count_tokens"):
        return as_json({"input_tokens": size_of(body)})
    wrong = history_problems(body)
    if wrong:
        return _error(400, "invalid_request_error", "; ".join(wrong))
    if reply.error is not None:
        return _error(*reply.error)
    blocks = list(_blocks(reply))
    stop = reply.stop or ("tool_use" if reply.calls else "end_turn")
    usage = {
        "input_tokens": size_of(body),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": max(1, size_of(blocks)),
        **reply.usage,
    }
    message = {
        "id": f"msg_{next(_numbers):024d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "stop_sequence": None,
    }
    if not body.get("stream"):
        return as_json({**message, "content": blocks, "stop_reason": stop, "usage": usage})
    return sse((event["type"], event) for event in _events(message, blocks, stop, usage))


def size_of(value: Any) -> int:
    """Tokens, estimated."""
    return len(json.dumps(value, ensure_ascii=False)) // 4


def history_problems(body: Any) -> list[str]:
    """What the API answers 400 to: a first message that is not the user's, unpaired calls, too many cache marks."""
    found: list[str] = []
    turns = [message for message in messages(body) if message.get("role") != "system"]
    if not turns:
        return ["messages: at least one message is required"]
    if turns[0].get("role") != "user":
        found.append("messages.0: the first message must be the user's")
    merged: list[tuple[str, list[Any]]] = []
    for message in turns:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        if merged and merged[-1][0] == message["role"]:
            merged[-1][1].extend(blocks)
        else:
            merged.append((message["role"], list(blocks)))
    open_calls: set[str] = set()
    for role, blocks in merged:
        results = {block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"}
        if role == "user" and results != open_calls:
            found.append(f"messages: calls {sorted(open_calls)} are answered by results {sorted(results)}")
        calls = {block.get("id") for block in blocks if block.get("type") == "tool_use"}
        open_calls = calls if role == "assistant" else set()
    if open_calls:
        found.append(f"messages: calls {sorted(open_calls)} have no results")
    marks = json.dumps(body).count('"cache_control"')
    if marks > MARKS_MOST:
        found.append(f"at most {MARKS_MOST} blocks may have cache_control, found {marks}")
    return found


def _error(status: int, kind: str, message: str) -> Answer:
    return as_json({"type": "error", "error": {"type": kind, "message": message}}, status)


def _blocks(reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.thinking:
        yield {"type": "thinking", "thinking": reply.thinking, "signature": SIGNATURE}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for call in reply.calls:
        name = call.id or f"toolu_{next(_numbers):024d}"
        yield {"type": "tool_use", "id": name, "name": call.name, "input": dict(call.input)}


def _events(
    message: dict[str, Any], blocks: list[dict[str, Any]], stop: str, usage: dict[str, int]
) -> Iterator[dict[str, Any]]:
    opening = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(blocks):
        start, deltas = _deltas(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": stop, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


def _deltas(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [
            {"type": "text_delta", "text": piece} for piece in _pieces(block["text"])
        ]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
        signature = {"type": "signature_delta", "signature": block["signature"]}
        return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
    return {**block, "input": {}}, [
        {"type": "input_json_delta", "partial_json": piece} for piece in _pieces(json.dumps(block["input"]))
    ]


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
