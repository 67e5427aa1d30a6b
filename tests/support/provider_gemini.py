"""The Gemini API for `Provider`: generateContent and streamGenerateContent, with what the real one refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.support.provider import Answer, Reply, Turn, as_json, sse
from tests.support.provider_meter import Segment

WHOLE, STREAMED, COUNTED = ":generateContent", ":streamGenerateContent", ":countTokens"
PIECE = 40  # characters of one chunk

_PATH = re.compile(rf"/models/[^/:]+({WHOLE}|{STREAMED}|{COUNTED})$")


def takes(path: str) -> bool:
    return _PATH.search(path) is not None


def messages(body: Any) -> list[Any]:
    return list(body.get("contents") or [])


def has_tools(body: Any) -> bool:
    return bool(body.get("tools"))


def segments(body: Any) -> list[Segment]:
    first = [body["systemInstruction"]] if body.get("systemInstruction") else []
    parts = [*(body.get("tools") or []), *first, *messages(body)]
    return [Segment(json.dumps(part, ensure_ascii=False)) for part in parts]


def turn(body: Any) -> Turn:
    results, said = list[str](), list[str]()
    for content in reversed(messages(body)):
        parts = content.get("parts") or []
        answered = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if content.get("role") == "model" and said:
            break
        if content.get("role") == "user" and not answered:
            said.insert(0, "\n".join(part.get("text", "") for part in parts))
        results[:0] = [json.dumps(item["response"], ensure_ascii=False) for item in answered]
    names = [tool["name"] for group in body.get("tools") or [] for tool in _declared(group)]
    return Turn("\n".join(said), results, lambda call: _find(body, call), names)


def _declared(group: Any) -> list[Any]:
    return group.get("functionDeclarations") or []


def _find(body: Any, call: str) -> str | None:
    parts = [part for content in messages(body) for part in content.get("parts") or []]
    found = (item for part in parts if (item := part.get("functionResponse")) and item.get("id") == call)
    return next((json.dumps(item["response"], ensure_ascii=False) for item in found), None)


def too_long(body: Any, tokens: int, window: int) -> Answer:
    del body
    said = f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
    return _error(400, "INVALID_ARGUMENT", said)


def answer(path: str, body: Any, reply: Reply) -> Answer:
    if path.endswith(COUNTED):
        return as_json({"totalTokens": _size(body)})
    wrong = history_problems(body)
    if wrong:
        return _error(400, "INVALID_ARGUMENT", "; ".join(wrong))
    if reply.error is not None:
        return _error(*reply.error)
    if path.endswith(STREAMED):
        parts = list(_parts(reply))
        chunks = [_chunk([part]) for part in parts[:-1]]
        return sse((None, chunk) for chunk in [*chunks, _last(body, parts[-1:], reply)])
    return as_json(_last(body, list(_parts(reply)), reply))


def history_problems(body: Any) -> list[str]:
    """What the API answers 400 to: an empty content, calls whose responses do not follow.

    Gemini CLI 0.61 sends a response twice where it goes on with a session; that is let through here.
    """
    found: list[str] = []
    waiting = 0
    for number, content in enumerate(messages(body)):
        parts = content.get("parts") or []
        if not parts:
            found.append(f"contents[{number}]: must include at least one parts field")
        answered = sum("functionResponse" in part for part in parts)
        if answered < waiting or (answered and not waiting):
            said = "the number of function response parts is not that of the function call parts"
            found.append(f"contents[{number}]: {said}: {answered}, {waiting}")
        waiting = sum("functionCall" in part for part in parts)
    return found


def _parts(reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.thinking:
        yield {"text": reply.thinking, "thought": True}
    yield from ({"text": reply.text[at : at + PIECE]} for at in range(0, len(reply.text), PIECE))
    for call in reply.calls:
        named = {"id": call.id} if call.id else {}
        yield {"functionCall": {**named, "name": call.name, "args": dict(call.input)}}
    if not reply.thinking and not reply.text and not reply.calls:
        yield {"text": ""}


def _chunk(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]}


def _last(body: Any, parts: list[dict[str, Any]], reply: Reply) -> dict[str, Any]:
    chunk = _chunk(parts)
    chunk["candidates"][0]["finishReason"] = reply.stop or "STOP"
    read, written = reply.usage.get("input_tokens", _size(body)), _size(reply.text)
    usage = {"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written}
    return {**chunk, "usageMetadata": usage, "modelVersion": "gemini-2.5-pro"}


def _size(value: Any) -> int:
    """Tokens, estimated."""
    return max(1, len(json.dumps(value, ensure_ascii=False)) // 4)


def _error(status: int, kind: str, message: str) -> Answer:
    return as_json({"error": {"code": status, "message": message, "status": kind}}, status)
