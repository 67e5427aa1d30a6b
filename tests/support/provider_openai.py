"""The OpenAI APIs for `Provider`: Responses, Chat Completions; streamed and whole, with what the real ones refuse."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from tests.support.provider import Answer, Call, Reply, Turn, as_json, sse
from tests.support.provider_meter import Segment

RESPONSES, CHAT, COMPACT = "/responses", "/chat/completions", "/responses/compact"
PIECE = 40  # characters of one delta

_numbers = count(1)


def takes(path: str) -> bool:
    return path in (RESPONSES, CHAT, COMPACT)


def messages(body: Any) -> list[Any]:
    history = body.get("input") or body.get("messages") or []
    if isinstance(history, str):
        history = [{"role": "user", "content": history}]
    return list(history) if isinstance(history, list) else [history]


def has_tools(body: Any) -> bool:
    return bool(body.get("tools"))


def sealed(thinking: str) -> str:
    """What stands for thinking, unreadable; it proves that the item comes back as it was given."""
    return base64.b64encode(hashlib.sha256(thinking.encode("utf-8", "surrogatepass")).digest()).decode()


def segments(body: Any) -> list[Segment]:
    first = [{"instructions": body["instructions"]}] if body.get("instructions") else []
    parts = [*(body.get("tools") or []), *first, *messages(body)]
    return [Segment(json.dumps(part, ensure_ascii=False)) for part in parts]


def turn(body: Any) -> Turn:
    results, said, history = list[str](), list[str](), messages(body)
    for item in reversed(history):
        if item.get("role") == "user":  # several where a host adds words of its own
            said.insert(0, _said(item.get("content")))
        elif said and item.get("role") not in ("developer", "system"):
            break
        elif _answers(item):
            results.insert(0, _said(item.get("output") or item.get("content")))
    tools = [tool.get("name") or (tool.get("function") or {}).get("name") for tool in body.get("tools") or []]
    return Turn("\n".join(said), results, lambda call: _find(history, call), tools)


def _answers(item: Any) -> str | None:
    """The call that an item answers."""
    if item.get("role") == "tool":
        return item["tool_call_id"]
    return item.get("call_id") if str(item.get("type")).endswith("_output") else None


def _find(history: list[Any], call: str) -> str | None:
    found = (item for item in history if _answers(item) == call)
    return next((_said(item.get("output") or item.get("content")) for item in found), None)


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def too_long(body: Any, tokens: int, window: int) -> Answer:
    said = "Your input exceeds the context window of this model. Please adjust your input and try again."
    if "messages" in body:
        said = f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens}"
        said += " tokens. Please reduce the length of the messages."
    error = {
        "message": said,
        "type": "invalid_request_error",
        "param": "input",
        "code": "context_length_exceeded",
    }
    return as_json({"error": error}, 400)


def answer(path: str, body: Any, reply: Reply) -> Answer:
    wrong = history_problems(body) + memory_problems(body)
    if wrong:
        return _error(400, "invalid_request_error", "; ".join(wrong))
    if reply.error is not None:
        return _error(*reply.error)
    if path == COMPACT:
        kept = [item for item in messages(body) if item.get("role") == "user"]
        return as_json({"output": [*kept, _compaction()]})
    return _chat(body, reply) if path == CHAT else _response(body, reply)


def size_of(value: Any) -> int:
    """Tokens, estimated."""
    return max(1, len(json.dumps(value, ensure_ascii=False)) // 4)


def history_problems(body: Any) -> list[str]:
    """What the APIs answer 400 to: calls and results that do not belong together."""
    return _chat_problems(messages(body)) if "messages" in body else _input_problems(messages(body))


def memory_problems(body: Any) -> list[str]:
    """What they answer 400 to since they gave another answer before: reasoning that was changed or stands alone."""
    found: list[str] = []
    items = messages(body) if "input" in body else []
    for number, item in enumerate(items):
        if item.get("type") != "reasoning":
            continue
        said = "".join(part["text"] for part in item.get("summary") or [])
        if item.get("encrypted_content") not in (None, sealed(said)):
            found.append(f"input[{number}]: the encrypted content could not be verified")
        after = items[number + 1] if number + 1 < len(items) else {}
        if not after or after.get("role", "assistant") != "assistant" or _answers(after):
            found.append(
                f"input[{number}]: a reasoning item was provided without its required following item"
            )
    return found


def _input_problems(items: list[Any]) -> list[str]:
    found: list[str] = []
    calls: dict[str, bool] = {}
    for item in items:
        kind, call = item.get("type") or "message", item.get("call_id")
        if kind in ("function_call", "custom_tool_call"):
            calls[call] = False
        elif kind in ("function_call_output", "custom_tool_call_output"):
            if call not in calls:
                found.append(f"no tool call found for the output {call}")
            calls[call] = True
    return found + [f"no tool output found for the call {call}" for call, done in calls.items() if not done]


def _chat_problems(history: list[Any]) -> list[str]:
    found: list[str] = []
    waiting: set[str] = set()
    for message in history:
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in waiting:
                found.append(f"a tool message without a call: {message.get('tool_call_id')}")
            waiting.discard(message.get("tool_call_id"))
            continue
        if waiting:
            found.append(f"calls without a tool message: {sorted(waiting)}")
        waiting = {call["id"] for call in message.get("tool_calls") or []}
    return found + ([f"calls without a tool message: {sorted(waiting)}"] if waiting else [])


def _error(status: int, kind: str, message: str) -> Answer:
    return as_json({"error": {"type": kind, "code": kind, "message": message, "param": None}}, status)


def _name(prefix: str) -> str:
    return f"{prefix}_{next(_numbers):020d}"


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


# --- Responses --------------------------------------------------------------------------------------------------------


def _response(body: Any, reply: Reply) -> Answer:
    items = [_compaction()] if _wants_compaction(body) else list(_items(body, reply))
    usage = _usage(body, reply)
    shell = {
        "id": _name("resp"),
        "object": "response",
        "created_at": 0,
        "model": body.get("model"),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "metadata": {},
    }
    done = {**shell, "status": "completed", "output": items, "usage": usage}
    if not body.get("stream"):
        return as_json(done)
    events = [{"type": "response.created", "response": {**shell, "status": "in_progress", "output": []}}]
    for index, item in enumerate(items):
        events.extend({**event, "output_index": index} for event in _item_events(item))
    events.append({"type": "response.completed", "response": done})
    return sse((event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events))


def _usage(body: Any, reply: Reply) -> dict[str, Any]:
    given = {"input_tokens": size_of(body), "output_tokens": size_of(reply.text), **reply.usage}
    cached = given.get("cache_read_input_tokens", 0)
    read = given["input_tokens"] + cached
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": given["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + given["output_tokens"],
    }


def _wants_compaction(body: Any) -> bool:
    history = messages(body)
    return bool(history) and history[-1].get("type") == "compaction_trigger"


def _compaction() -> dict[str, Any]:
    return {"type": "compaction", "id": _name("cmp"), "encrypted_content": sealed("")}


def _items(body: Any, reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.thinking:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        yield {
            "type": "reasoning",
            "id": _name("rs"),
            "summary": summary,
            "encrypted_content": sealed(reply.thinking),
        }
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        kind = {"type": "message", "id": _name("msg"), "role": "assistant", "status": "completed"}
        yield {**kind, "content": content}
    free = {tool.get("name") for tool in body.get("tools") or [] if tool.get("type") == "custom"}
    for call in reply.calls:
        yield _free_call(call) if call.custom or call.name in free else _function_call(call)


def _free_call(call: Call) -> dict[str, Any]:
    item = {"type": "custom_tool_call", "id": _name("ctc"), "call_id": call.id or _name("call")}
    return {**item, "name": call.name, "status": "completed", "input": str(call.input["text"])}


def _function_call(call: Call) -> dict[str, Any]:
    item = {
        "type": "function_call",
        "id": _name("fc"),
        "call_id": call.id or _name("call"),
        "name": call.name,
    }
    item |= {"arguments": json.dumps(dict(call.input)), "status": "completed"}
    return {**item, "namespace": call.namespace} if call.namespace else item


def _item_events(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    at = {"item_id": item.get("id")}
    if item["type"] == "message":
        part = item["content"][0]
        at |= {"content_index": 0}
        yield {"type": "response.output_item.added", "item": {**item, "status": "in_progress", "content": []}}
        yield {**at, "type": "response.content_part.added", "part": {**part, "text": ""}}
        for piece in _pieces(part["text"]):
            yield {**at, "type": "response.output_text.delta", "delta": piece}
        yield {**at, "type": "response.output_text.done", "text": part["text"]}
        yield {**at, "type": "response.content_part.done", "part": part}
    elif item["type"] == "function_call":
        yield {
            "type": "response.output_item.added",
            "item": {**item, "status": "in_progress", "arguments": ""},
        }
        for piece in _pieces(item["arguments"]):
            yield {**at, "type": "response.function_call_arguments.delta", "delta": piece}
        yield {**at, "type": "response.function_call_arguments.done", "arguments": item["arguments"]}
    else:
        yield {"type": "response.output_item.added", "item": item}
    yield {"type": "response.output_item.done", "item": item}


# --- Chat Completions -------------------------------------------------------------------------------------------------


def _chat(body: Any, reply: Reply) -> Answer:
    usage = _usage(body, reply)
    counts = {
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
        "total_tokens": usage["total_tokens"],
        "prompt_tokens_details": usage["input_tokens_details"],
    }
    calls = [
        {
            "id": call.id or _name("call"),
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(dict(call.input))},
        }
        for call in reply.calls
    ]
    shell = {"id": _name("chatcmpl"), "created": 0, "model": body.get("model")}
    end = reply.stop or ("tool_calls" if calls else "stop")
    if not body.get("stream"):
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": end}
        return as_json({**shell, "object": "chat.completion", "usage": counts, "choices": [choice]})
    chunks = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in _deltas(reply, calls)
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
    chunks.append({"choices": [], "usage": counts})
    shell |= {"object": "chat.completion.chunk"}
    return sse([*((None, {**shell, **chunk}) for chunk in chunks), (None, "[DONE]")])


def _deltas(reply: Reply, calls: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    yield {"role": "assistant", "content": ""}
    yield from ({"reasoning_content": piece} for piece in _pieces(reply.thinking))
    yield from ({"content": piece} for piece in _pieces(reply.text))
    for index, call in enumerate(calls):
        about = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {**about, "arguments": ""}}]}
        for piece in _pieces(about["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
