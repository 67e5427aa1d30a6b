"""A part has the text by which a window names it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.hosts.wire import hosted
from unabridged.hosts.wire.items import CHAT, MESSAGES, RESPONSES, facts_of, text_of_part
from unabridged.hosts.wire.parts import parts_of
from unabridged.window.messages import Kind
from unabridged.window.providers.adapters import ADAPTERS

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}

PICTURE = {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="}


def _tool(status: str, **rest: str) -> dict[str, Any]:
    state = {"status": status, "input": {"path": "/x", "n": 1.50}, **rest}
    return {"type": "tool", "tool": "read", "callID": f"call-{status}", "state": state}


ITEMS: list[tuple[str, dict[str, Any]]] = [
    (MESSAGES, {"role": "user", "content": "plain é \u2028"}),
    (
        MESSAGES,
        {"role": "user", "content": [{"type": "text", "text": "a"}, IMAGE, {"type": "text", "text": "b"}]},
    ),
    (MESSAGES, {"role": "system", "content": [{"type": "text", "text": "reminder"}]}),
    (
        MESSAGES,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "secret", "signature": "s"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "/x", "n": 1.50, "o": {}}},
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s",
                    "content": [{"type": "x", "title": "t"}],
                },
                {"type": "new_kind", "something": ["else"]},
            ],
        },
    ),
    (
        MESSAGES,
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": "one"},
                {
                    "type": "tool_result",
                    "tool_use_id": "u",
                    "content": [{"type": "text", "text": "a"}, IMAGE],
                },
                {"type": "tool_result", "tool_use_id": "v"},
                {"type": "text", "text": "go on"},
            ],
        },
    ),
    (RESPONSES, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}),
    (RESPONSES, {"role": "user", "content": "short form"}),
    (
        RESPONSES,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]},
    ),
    (RESPONSES, {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}),
    (RESPONSES, {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"}),
    (RESPONSES, {"type": "function_call_output", "call_id": "c", "output": "out"}),
    (
        RESPONSES,
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
        },
    ),
    (RESPONSES, {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "zzz"}),
    (RESPONSES, {"type": "compaction", "encrypted_content": "zzz"}),
    (
        CHAT,
        {
            "role": "user",
            "content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
    ),
    (
        CHAT,
        {
            "role": "assistant",
            "content": "I call.",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                {"id": "2", "type": "custom", "custom": {"name": "g", "input": "free"}},
            ],
            "reasoning_content": "hidden",
        },
    ),
    (CHAT, {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"q": 2}'}}),
    (CHAT, {"role": "tool", "tool_call_id": "1", "content": "out"}),
    (
        MESSAGES,
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "half \ud800 of a pair"},
                {"type": "tool_use", "id": "h", "name": "W", "input": {"text": "\udc01"}},
            ],
        },
    ),
    (CHAT, {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "a"}]}),
    (hosted.PI, {"role": "user", "content": "typed", "timestamp": 1}),
    (
        hosted.PI,
        {"role": "user", "content": [{"type": "text", "text": "a"}, PICTURE, {"type": "text", "text": "b"}]},
    ),
    (
        hosted.PI,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "secret", "thinkingSignature": "s"},
                {"type": "text", "text": "I look."},
                {"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "/x", "n": 1.50}},
                {"type": "newKind", "something": ["else"]},
            ],
            "usage": {"input": 1},
            "stopReason": "toolUse",
        },
    ),
    (hosted.PI, {"role": "toolResult", "toolCallId": "t", "toolName": "read", "content": "out"}),
    (
        hosted.PI,
        {
            "role": "toolResult",
            "toolCallId": "t",
            "content": [{"type": "text", "text": "a"}, PICTURE, {"type": "text", "text": "b"}],
        },
    ),
    (hosted.PI, {"role": "bashExecution", "command": "ls", "output": "a\nb", "exitCode": 0}),
    (hosted.PI, {"role": "compactionSummary", "summary": "what was said", "tokensBefore": 5}),
    (hosted.PI, {"role": "branchSummary", "summary": "what was tried", "fromId": "x"}),
    (hosted.PI, {"role": "custom", "customType": "note", "content": "noted", "display": False}),
    (hosted.PI, {"role": "future", "content": None}),
    (hosted.OPENCODE, {"info": {"role": "user", "id": "m"}, "parts": [{"type": "text", "text": "typed"}]}),
    (
        hosted.OPENCODE,
        {
            "info": {"role": "assistant", "id": "m"},
            "parts": [
                {"type": "step-start", "snapshot": "5f"},
                {"type": "reasoning", "text": "secret"},
                {"type": "text", "text": "I look \ud800."},
                _tool("completed", output="out"),
                _tool("error", error="no such file"),
                _tool("running"),
                {
                    "type": "tool",
                    "tool": "odd",
                    "callID": "q",
                    "state": {"status": "completed", "output": "bare"},
                },
                {"type": "file", "mime": "image/png", "url": "data:image/png;base64,aGVsbG8="},
                {"type": "newKind", "something": ["else"]},
                {"type": "step-finish", "reason": "tool-calls"},
            ],
        },
    ),
]


@pytest.mark.parametrize(("form", "item"), ITEMS)
def test_a_part_has_the_text_and_the_number_that_a_window_gives_it(form: str, item: dict[str, Any]) -> None:
    raw = json.dumps(item).encode()
    body = b'{"model":"m","%b":[%b]}' % (b"input" if form == RESPONSES else b"messages", raw)
    parts = ADAPTERS[form].read(body).conversation.items[0].parts
    line = b'{"item":"00","origin":"request","format":"%b","raw":%b}\n' % (form.encode(), raw)
    facts = facts_of(line)
    assert facts is not None
    raw = facts.data
    for at, part in enumerate(parts):
        if part.kind in (Kind.TEXT, Kind.RESULT, Kind.CALL) and part.text:
            assert text_of_part(form, raw, at) == part.text
        else:
            assert not text_of_part(form, raw, at)
    assert text_of_part(form, raw, len(parts)) is None
    found, count = parts_of(form, item, (0, "raw"))
    assert count == len(parts)
    assert all(at < count for at, _ in found)
