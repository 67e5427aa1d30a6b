"""The Anthropic Messages API for `Provider`: streamed and whole answers, token counts, what the real one refuses."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.support.provider import Answer, Reply, Turn, as_json, sse
from tests.support.provider_meter import Segment

# Begins the id of a call that was thought about: the turn of an open call has to keep its thinking.
THOUGHT = "toolu_t"
MARKS_MOST = 4  # cache marks that the API takes in one request
PIECE = 40  # characters of one delta

_numbers = count(1)


def takes(path: str) -> bool:
    return path in ("/messages", "/messages/count_tokens")


def messages(body: Any) -> list[Any]:
    return list(body.get("messages") or [])


def has_tools(body: Any) -> bool:
    return bool(body.get("tools"))


def signature(thinking: str) -> str:
    """What proves that thinking comes back as it was given."""
    return base64.b64encode(hashlib.sha256(thinking.encode("utf-8", "surrogatepass")).digest()).decode()


def segments(body: Any) -> list[Segment]:
    system = body.get("system") or []
    parts = [*(body.get("tools") or []), *(system if isinstance(system, list) else [{"text": system}])]
    for message in messages(body):
        content, role = message.get("content"), {"role": message.get("role")}
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        parts += [{**role, **block} for block in blocks]
    return [_segment(part) for part in parts]


def _segment(part: dict[str, Any]) -> Segment:
    bare = {name: value for name, value in part.items() if name != "cache_control"}
    text, marked = json.dumps(bare, ensure_ascii=False), part.get("cache_control") is not None
    if '"cache_control"' in text and isinstance(bare.get("content"), list):
        inner = [_segment(block) for block in bare["content"]]
        bare["content"] = [segment.text for segment in inner]
        marked = marked or any(segment.marked for segment in inner)
        text = json.dumps(bare, ensure_ascii=False)
    return Segment(text, marked)


TOLD = "<unabridged"


def turn(body: Any) -> Turn:
    history = [message for message in messages(body) if message.get("role") != "system"]
    prompt, results = "", list[str]()
    for message in reversed(history):
        if message["role"] != "user":
            continue
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        given = [block for block in blocks if block["type"] == "tool_result"]
        if not given:
            said = "\n".join(block["text"] for block in blocks if block["type"] == "text")
            prompt = f"{said}\n{prompt}" if prompt else said
            if not said.startswith(
                TOLD
            ):  # what a host is told stands in a message of its own, behind the prompt
                break
        results[:0] = [_said(block) for block in given]
    return Turn(
        prompt,
        results,
        lambda call: _find(history, call),
        [tool.get("name") for tool in body.get("tools") or []],
    )


def _find(history: list[Any], call: str) -> str | None:
    for message in history:
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_result" and block["tool_use_id"] == call:
                return _said(block)
    return None


def _said(block: dict[str, Any]) -> str:
    content = block.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(inner.get("text", "") for inner in content)


def too_long(body: Any, tokens: int, window: int) -> Answer:
    return _error(400, "invalid_request_error", f"prompt is too long: {tokens} tokens > {window} maximum")


def answer(path: str, body: Any, reply: Reply) -> Answer:
    if path.endswith("count_tokens"):
        return as_json({"input_tokens": size_of(body)})
    wrong = history_problems(body) + memory_problems(body)
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
    merged = _merged(turns)
    open_calls: set[str] = set()
    for role, blocks in merged:
        results = {block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"}
        if role == "user" and results != open_calls:
            found.append(f"messages: calls {sorted(open_calls)} are answered by results {sorted(results)}")
        calls = {block.get("id") for block in blocks if block.get("type") == "tool_use"}
        open_calls = calls if role == "assistant" else set()
    if open_calls:
        found.append(f"messages: calls {sorted(open_calls)} have no results")
    marks = sum(segment.marked is True for segment in segments(body))
    if marks > MARKS_MOST:
        found.append(f"at most {MARKS_MOST} blocks may have cache_control, found {marks}")
    return found


def _merged(messages: list[Any]) -> list[tuple[str, list[Any]]]:
    """Neighbouring messages of one role as one."""
    merged: list[tuple[str, list[Any]]] = []
    for message in messages:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        if merged and merged[-1][0] == message["role"]:
            merged[-1][1].extend(blocks)
        else:
            merged.append((message["role"], list(blocks)))
    return merged


def memory_problems(body: Any) -> list[str]:
    """What it answers 400 to since it gave another answer before: thinking that was changed, or is missing."""
    turns = _merged([message for message in messages(body) if message.get("role") != "system"])
    found: list[str] = []
    for number, (_, blocks) in enumerate(turns):
        for block in blocks:
            if block.get("type") == "thinking" and block.get("signature") != signature(
                block.get("thinking", "")
            ):
                found.append(f"messages.{number}: Invalid `signature` in `thinking` block")
    last = next((blocks for role, blocks in reversed(turns) if role == "assistant"), [])
    thought = any(str(block.get("id")).startswith(THOUGHT) for block in last)
    if thought and not any(block.get("type") == "thinking" for block in last):
        found.append("messages: `thinking` blocks in the latest assistant message cannot be modified")
    return found


def _error(status: int, kind: str, message: str) -> Answer:
    return as_json({"type": "error", "error": {"type": kind, "message": message}}, status)


def _blocks(reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.thinking:
        yield {"type": "thinking", "thinking": reply.thinking, "signature": signature(reply.thinking)}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for call in reply.calls:
        name = call.id or f"{THOUGHT if reply.thinking else 'toolu_0'}{next(_numbers):023d}"
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
