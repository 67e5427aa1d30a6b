"""A scripted provider of each format, and a client that keeps what it saw, as real ones do."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

# An answer is a list of these: ("text", said), ("think", said), ("call", name, arguments).
Block = tuple[str, ...]


def sse(name: str, value: Any) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value, separators=(',', ':'))}\n\n".encode()


class Provider:
    """What is common: ids, usage."""

    def __init__(self) -> None:
        self.ids = itertools.count(1)

    def ident(self, prefix: str) -> str:
        return f"{prefix}_{next(self.ids)}"


class Anthropic(Provider):
    name, path = "messages", "/v1/messages"

    def request(self, history: list[Any], tools: Sequence[str] = ("read",), **more: Any) -> dict[str, Any]:
        listed = [{"name": name, "description": name, "input_schema": {"type": "object"}} for name in tools]
        return {"model": "m", "max_tokens": 9, "system": "s", "tools": listed, "messages": history, **more}

    def user(self, text: str) -> Any:
        return {"role": "user", "content": text}

    def blocks(self, answer: Sequence[Block]) -> list[dict[str, Any]]:
        made = list[dict[str, Any]]()
        for kind, *rest in answer:
            if kind == "text":
                made.append({"type": "text", "text": rest[0]})
            elif kind == "think":
                made.append({"type": "thinking", "thinking": rest[0], "signature": "sig-" + rest[0]})
            else:
                made.append(
                    {
                        "type": "tool_use",
                        "id": self.ident("toolu"),
                        "name": rest[0],
                        "input": json.loads(rest[1]),
                    }
                )
        return made

    def stream(self, answer: Sequence[Block], stop: str = "", prompt: int = 100) -> bytes:
        blocks = self.blocks(answer)
        usage = {
            "input_tokens": 5,
            "cache_read_input_tokens": prompt - 5,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        }
        start = {
            "id": self.ident("msg"),
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": "m",
            "usage": usage,
        }
        out = sse("message_start", {"type": "message_start", "message": start}) + sse(
            "ping", {"type": "ping"}
        )
        for at, block in enumerate(blocks):
            out += self._block(at, block)
        calls = any(block["type"] == "tool_use" for block in blocks)
        delta = {"stop_reason": stop or ("tool_use" if calls else "end_turn"), "stop_sequence": None}
        out += sse("message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 10}})
        return out + sse("message_stop", {"type": "message_stop"})

    def _block(self, at: int, block: dict[str, Any]) -> bytes:
        kind = block["type"]
        empty = {
            **block,
            **(
                {"input": {}}
                if kind == "tool_use"
                else {"text": ""}
                if kind == "text"
                else {"thinking": "", "signature": ""}
            ),
        }
        out = sse("content_block_start", {"type": "content_block_start", "index": at, "content_block": empty})
        if kind == "text":
            half = len(block["text"]) // 2
            deltas = [
                {"type": "text_delta", "text": part} for part in (block["text"][:half], block["text"][half:])
            ]
        elif kind == "thinking":
            deltas = [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        else:
            said = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in ("", said[:3], said[3:])]
        for delta in deltas:
            out += sse("content_block_delta", {"type": "content_block_delta", "index": at, "delta": delta})
        return out + sse("content_block_stop", {"type": "content_block_stop", "index": at})

    def whole(self, answer: Sequence[Block], stop: str = "", prompt: int = 100) -> bytes:
        blocks = self.blocks(answer)
        calls = any(block["type"] == "tool_use" for block in blocks)
        usage = {"input_tokens": 5, "cache_read_input_tokens": prompt - 5, "output_tokens": 10}
        value = {
            "id": self.ident("msg"),
            "type": "message",
            "role": "assistant",
            "content": blocks,
            "stop_reason": stop or ("tool_use" if calls else "end_turn"),
            "usage": usage,
        }
        return json.dumps(value).encode()

    def seen(self, data: bytes, *, streamed: bool) -> dict[str, Any]:
        """What a client makes of an answer: blocks, how it ended, usage. It refuses what a strict one refuses."""
        if not streamed:
            value = json.loads(data)
            return {
                "history": [{"role": "assistant", "content": value["content"]}],
                "stop": value["stop_reason"],
                "usage": value["usage"],
            }
        content, stop, usage, ended = list[Any](), None, dict[str, Any](), False
        started = False
        for event in events(data):
            kind = event["type"]
            if kind == "message_start":
                assert not started
                started = True
                usage = event["message"]["usage"]
            elif kind == "content_block_start":
                assert event["index"] == len(content)
                content.append({**event["content_block"], "json": ""})
            elif kind == "content_block_delta":
                assert event["index"] == len(content) - 1
                delta, block = event["delta"], content[-1]
                if delta["type"] == "input_json_delta":
                    block["json"] += delta["partial_json"]
                else:
                    name = delta["type"].removesuffix("_delta")
                    block[name] += delta[name]
            elif kind == "message_delta":
                stop = event["delta"]["stop_reason"]
                usage = {**usage, **event["usage"]}
            elif kind == "message_stop":
                ended = True
            elif kind == "error":
                return {"error": event}
        for block in content:
            said = block.pop("json")
            if block["type"] == "tool_use":
                block["input"] = json.loads(said or "{}")
        return {
            "history": [{"role": "assistant", "content": content}],
            "stop": stop,
            "usage": usage,
            "ended": ended,
        }

    def shown(self, seen: dict[str, Any]) -> list[tuple[str, str]]:
        """What of an answer matters: kinds and texts."""
        made = list[tuple[str, str]]()
        for block in seen["history"][0]["content"]:
            kind = block["type"]
            made.append(
                ("text", block["text"])
                if kind == "text"
                else ("think", block["thinking"])
                if kind == "thinking"
                else ("call", block["name"])
            )
        return made

    def results(self, seen: dict[str, Any]) -> list[Any]:
        calls = [block["id"] for block in seen["history"][0]["content"] if block["type"] == "tool_use"]
        content = [{"type": "tool_result", "tool_use_id": call, "content": "read it"} for call in calls]
        return [{"role": "user", "content": content}] if calls else []

    def without_reasoning(self, history: list[Any]) -> list[Any]:
        return [
            {**message, "content": [block for block in message["content"] if block["type"] != "thinking"]}
            for message in history
        ]

    def told(self, body: bytes) -> list[tuple[str, str]]:
        """What a request says, in order, as short words."""
        made = list[tuple[str, str]]()
        for message in json.loads(body)["messages"]:
            content = message["content"]
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                made.append((message["role"], _short(block)))
        return made

    def prompt_of(self, usage: dict[str, Any]) -> int:
        return (
            usage["input_tokens"]
            + usage["cache_read_input_tokens"]
            + usage.get("cache_creation_input_tokens", 0)
        )

    def output_of(self, usage: dict[str, Any]) -> int:
        return usage["output_tokens"]

    calls_stop, ends = "tool_use", "end_turn"
    error = b'{"type":"error","error":{"type":"overloaded_error","message":"too busy"}}'


def _short(block: dict[str, Any]) -> str:
    kind = block.get("type", "")
    if kind == "tool_use":
        return f"call {block['name']}"
    if kind == "tool_result":
        return f"result {block['content'][:7]}"
    return str(block.get("text") or block.get("thinking"))


class Responses(Provider):
    name, path = "input", "/v1/responses"

    def request(self, history: list[Any], tools: Sequence[str] = ("read",), **more: Any) -> dict[str, Any]:
        listed = [{"type": "function", "name": name, "parameters": {"type": "object"}} for name in tools]
        return {"model": "m", "store": False, "tools": listed, "input": history, **more}

    def user(self, text: str) -> Any:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def items(self, answer: Sequence[Block]) -> list[dict[str, Any]]:
        made = list[dict[str, Any]]()
        for kind, *rest in answer:
            if kind == "text":
                content = [{"type": "output_text", "text": rest[0], "annotations": []}]
                made.append(
                    {
                        "type": "message",
                        "id": self.ident("msg"),
                        "role": "assistant",
                        "status": "completed",
                        "content": content,
                    }
                )
            elif kind == "think":
                made.append(
                    {"type": "reasoning", "id": self.ident("rs"), "summary": [], "encrypted_content": rest[0]}
                )
            else:
                made.append(
                    {
                        "type": "function_call",
                        "id": self.ident("fc"),
                        "call_id": self.ident("call"),
                        "name": rest[0],
                        "arguments": rest[1],
                    }
                )
        return made

    def _response(self, items: list[Any], status: str, prompt: int) -> dict[str, Any]:
        usage = {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": prompt - 5},
            "output_tokens": 10,
            "total_tokens": prompt + 10,
        }
        echoed = [
            {"type": "function", "name": name}
            for name in ("read", "unabridged_search", "unabridged_gather", "unabridged_recall")
        ]
        return {
            "id": self.ident("resp"),
            "object": "response",
            "status": status,
            "output": items,
            "tools": echoed,
            "usage": usage,
        }

    def stream(self, answer: Sequence[Block], stop: str = "", prompt: int = 100) -> bytes:
        items, count = self.items(answer), itertools.count()
        response = self._response([], "in_progress", prompt)
        response["usage"] = None
        out = b""
        for kind in ("response.created", "response.in_progress"):
            out += sse(kind, {"type": kind, "sequence_number": next(count), "response": response})
        for at, item in enumerate(items):
            out += sse(
                "response.output_item.added",
                {
                    "type": "response.output_item.added",
                    "sequence_number": next(count),
                    "output_index": at,
                    "item": {**item, **({"arguments": ""} if "arguments" in item else {})},
                },
            )
            if item["type"] == "message":
                out += sse(
                    "response.output_text.delta",
                    {
                        "type": "response.output_text.delta",
                        "sequence_number": next(count),
                        "output_index": at,
                        "item_id": item["id"],
                        "content_index": 0,
                        "delta": item["content"][0]["text"],
                    },
                )
            if item["type"] == "function_call":
                out += sse(
                    "response.function_call_arguments.delta",
                    {
                        "type": "response.function_call_arguments.delta",
                        "sequence_number": next(count),
                        "output_index": at,
                        "item_id": item["id"],
                        "delta": item["arguments"],
                    },
                )
            out += sse(
                "response.output_item.done",
                {
                    "type": "response.output_item.done",
                    "sequence_number": next(count),
                    "output_index": at,
                    "item": item,
                },
            )
        status = "incomplete" if stop else "completed"
        ended = {**response, **self._response(items, status, prompt), "id": response["id"]}
        return out + sse(
            f"response.{status}",
            {"type": f"response.{status}", "sequence_number": next(count), "response": ended},
        )

    def whole(self, answer: Sequence[Block], stop: str = "", prompt: int = 100) -> bytes:
        return json.dumps(
            self._response(self.items(answer), "incomplete" if stop else "completed", prompt)
        ).encode()

    def seen(self, data: bytes, *, streamed: bool) -> dict[str, Any]:
        if not streamed:
            value = json.loads(data)
            return {"history": value["output"], "stop": value["status"], "usage": value["usage"]}
        items, final, ident = list[Any](), dict[str, Any](), ""
        for number, event in enumerate(events(data)):
            assert event["sequence_number"] == number
            kind = event["type"]
            if kind == "response.created":
                assert not ident
                ident = event["response"]["id"]
            elif kind == "response.output_item.added":
                assert event["output_index"] == len(items)
                items.append(None)
            elif kind == "response.output_item.done":
                assert event["output_index"] == len(items) - 1
                items[-1] = event["item"]
            elif kind == "response.failed":
                return {"error": event}
            elif kind in ("response.completed", "response.incomplete"):
                final = event["response"]
                assert final["id"] == ident
                assert final["output"] == items
            else:
                assert event.get("output_index", 0) <= len(items)
        return {
            "history": items,
            "stop": final.get("status"),
            "usage": final.get("usage"),
            "ended": bool(final),
        }

    def shown(self, seen: dict[str, Any]) -> list[tuple[str, str]]:
        made = list[tuple[str, str]]()
        for item in seen["history"]:
            kind = item["type"]
            made.append(
                ("text", item["content"][0]["text"])
                if kind == "message"
                else ("think", item["encrypted_content"])
                if kind == "reasoning"
                else ("call", item["name"])
            )
        return made

    def results(self, seen: dict[str, Any]) -> list[Any]:
        return [
            {"type": "function_call_output", "call_id": item["call_id"], "output": "read it"}
            for item in seen["history"]
            if item["type"] == "function_call"
        ]

    def without_reasoning(self, history: list[Any]) -> list[Any]:
        return [item for item in history if item["type"] != "reasoning"]

    def told(self, body: bytes) -> list[tuple[str, str]]:
        made = list[tuple[str, str]]()
        for item in json.loads(body)["input"]:
            kind = item["type"]
            if kind == "message":
                made.append((item["role"], item["content"][0]["text"]))
            elif kind == "reasoning":
                made.append(("assistant", item["encrypted_content"]))
            elif kind == "function_call":
                made.append(("assistant", f"call {item['name']}"))
            else:
                made.append(("user", f"result {item['output'][:7]}"))
        return made

    def prompt_of(self, usage: dict[str, Any]) -> int:
        return usage["input_tokens"]

    def output_of(self, usage: dict[str, Any]) -> int:
        return usage["output_tokens"]

    calls_stop, ends = "completed", "completed"
    error = b'{"error":{"message":"too busy","type":"server_error"}}'


class Chat(Provider):
    name, path = "messages", "/v1/chat/completions"

    def request(self, history: list[Any], tools: Sequence[str] = ("read",), **more: Any) -> dict[str, Any]:
        listed = [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
            for name in tools
        ]
        return {"model": "m", "tools": listed, "messages": history, **more}

    def user(self, text: str) -> Any:
        return {"role": "user", "content": text}

    def message(self, answer: Sequence[Block]) -> dict[str, Any]:
        text = "".join(block[1] for block in answer if block[0] == "text")
        made: dict[str, Any] = {"role": "assistant", "content": text or None}
        thought = "".join(block[1] for block in answer if block[0] == "think")
        if thought:
            made["reasoning_content"] = thought
        calls = [
            {
                "id": self.ident("call"),
                "type": "function",
                "function": {"name": block[1], "arguments": block[2]},
            }
            for block in answer
            if block[0] == "call"
        ]
        return {**made, "tool_calls": calls} if calls else made

    def stream(self, answer: Sequence[Block], stop: str = "", prompt: int = 100) -> bytes:
        message = self.message(answer)
        ident = self.ident("chatcmpl")
        out = b""

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            return sse(
                "",
                {
                    "id": ident,
                    "object": "chat.completion.chunk",
                    "created": 1,
                    "model": "m",
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                },
            )

        out += chunk({"role": "assistant", "content": ""})
        if "reasoning_content" in message:
            out += chunk({"reasoning_content": message["reasoning_content"]})
        text = message["content"] or ""
        for part in (text[: len(text) // 2], text[len(text) // 2 :]):
            out += chunk({"content": part}) if part else b""
        for at, call in enumerate(message.get("tool_calls", ())):
            function = call["function"]
            out += chunk({"tool_calls": [{"index": at, **call, "function": {**function, "arguments": ""}}]})
            out += chunk({"tool_calls": [{"index": at, "function": {"arguments": function["arguments"]}}]})
        out += chunk({}, stop or ("tool_calls" if "tool_calls" in message else "stop"))
        usage = {
            "prompt_tokens": prompt,
            "prompt_tokens_details": {"cached_tokens": prompt - 5},
            "completion_tokens": 10,
            "total_tokens": prompt + 10,
        }
        out += sse(
            "",
            {
                "id": ident,
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "m",
                "choices": [],
                "usage": usage,
            },
        )
        return out + b"data: [DONE]\n\n"

    def whole(self, answer: Sequence[Block], stop: str = "", prompt: int = 100) -> bytes:
        message = self.message(answer)
        usage = {
            "prompt_tokens": prompt,
            "prompt_tokens_details": {"cached_tokens": prompt - 5},
            "completion_tokens": 10,
            "total_tokens": prompt + 10,
        }
        finish = stop or ("tool_calls" if "tool_calls" in message else "stop")
        return json.dumps(
            {
                "id": self.ident("chatcmpl"),
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": usage,
            }
        ).encode()

    def seen(self, data: bytes, *, streamed: bool) -> dict[str, Any]:
        if not streamed:
            value = json.loads(data)
            choice = value["choices"][0]
            return {"history": [choice["message"]], "stop": choice["finish_reason"], "usage": value["usage"]}
        text, thought, calls, stop, usage, idents = "", "", list[Any](), None, None, set[str]()
        for event in events(data):
            if "error" in event:
                return {"error": event}
            idents.add(event["id"])
            usage = event.get("usage") or usage
            for choice in event["choices"]:
                assert stop is None
                delta = choice["delta"]
                text += delta.get("content") or ""
                thought += delta.get("reasoning_content") or ""
                for call in delta.get("tool_calls", ()):
                    if call["index"] == len(calls):
                        calls.append(
                            {
                                "id": call["id"],
                                "type": "function",
                                "function": {"name": call["function"]["name"], "arguments": ""},
                            }
                        )
                    assert call["index"] == len(calls) - 1
                    calls[-1]["function"]["arguments"] += call["function"].get("arguments", "")
                stop = choice["finish_reason"]
        assert len(idents) <= 1
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if thought:
            message["reasoning_content"] = thought
        if calls:
            message["tool_calls"] = calls
        return {
            "history": [message],
            "stop": stop,
            "usage": usage,
            "ended": data.endswith(b"data: [DONE]\n\n"),
        }

    def shown(self, seen: dict[str, Any]) -> list[tuple[str, str]]:
        message = seen["history"][0]
        made = [("text", part) for part in (message["content"] or "").split("\n\n") if part]
        if message.get("reasoning_content"):
            made.insert(0, ("think", message["reasoning_content"]))
        return made + [("call", call["function"]["name"]) for call in message.get("tool_calls", ())]

    def results(self, seen: dict[str, Any]) -> list[Any]:
        return [
            {"role": "tool", "tool_call_id": call["id"], "content": "read it"}
            for call in seen["history"][0].get("tool_calls", ())
        ]

    def without_reasoning(self, history: list[Any]) -> list[Any]:
        return [
            {name: value for name, value in message.items() if name != "reasoning_content"}
            for message in history
        ]

    def told(self, body: bytes) -> list[tuple[str, str]]:
        made = list[tuple[str, str]]()
        for message in json.loads(body)["messages"]:
            if message["role"] == "tool":
                made.append(("user", f"result {message['content'][:7]}"))
                continue
            if message.get("content"):
                made.append((message["role"], message["content"]))
            made += [
                ("assistant", f"call {call['function']['name']}") for call in message.get("tool_calls", ())
            ]
        return made

    def prompt_of(self, usage: dict[str, Any]) -> int:
        return usage["prompt_tokens"]

    def output_of(self, usage: dict[str, Any]) -> int:
        return usage["completion_tokens"]

    calls_stop, ends = "tool_calls", "stop"
    error = b'{"error":{"message":"too busy","type":"server_error"}}'


def events(data: bytes) -> list[Any]:
    """The events of a stream that hold JSON."""
    found = [line[6:] for line in data.split(b"\n") if line.startswith(b"data: ")]
    return [json.loads(one) for one in found if one != b"[DONE]"]


class Reply:
    """An answer over HTTP, in pieces of some size."""

    def __init__(self, body: bytes, size: int = 1 << 20, status: int = 200) -> None:
        self.status = status
        self.closed = 0
        self._body, self._size = body, size

    async def chunks(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._body), self._size):
            yield self._body[at : at + self._size]

    async def close(self) -> None:
        self.closed += 1


PROVIDERS = {"anthropic": Anthropic, "responses": Responses, "chat": Chat}
