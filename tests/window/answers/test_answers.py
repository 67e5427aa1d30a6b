"""Answers put together from their streams, in pieces of any size, as the client will send them back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.support import provider_anthropic, provider_openai
from tests.support.provider import Call, Reply
from unabridged.window.answers import reading
from unabridged.window.answers.builders import builder
from unabridged.window.answers.contract import Answer
from unabridged.window.answers.reading import Reading
from unabridged.window.answers.shapes import as_sent_back
from unabridged.window.answers.sse import Events
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter

STREAM, JSON = b"text/event-stream; charset=utf-8", b"application/json"


def events(*data: Any) -> bytes:
    """An event stream."""
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in data)


def read(adapter: Adapter, stream: bytes, *, kind: bytes = STREAM, complete: bool = True) -> Answer:
    """An answer read at once."""
    made = Reading(builder(adapter), kind)
    made.feed(stream)
    return made.answer(complete=complete)


def items(answer: Answer, host: str = "claude-code") -> list[Any]:
    """The items of an answer as a host sends them back."""
    return [json.loads(raw) for raw in as_sent_back(answer.items, host)]


def blocks(*pairs: tuple[dict[str, Any], Sequence[dict[str, Any]]], stop: bool = True) -> bytes:
    """A stream of Anthropic's: each block as it starts, with its deltas."""
    found: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 3}}}
    ]
    for at, (block, deltas) in enumerate(pairs):
        found.append({"type": "content_block_start", "index": at, "content_block": block})
        found += [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas]
        found.append({"type": "content_block_stop", "index": at})
    if stop:
        usage = {"output_tokens": 7, "cache_read_input_tokens": None}
        found += [{"type": "message_delta", "delta": {}, "usage": usage}, {"type": "message_stop"}]
    return events({"type": "ping"}, *found)


def test_every_block_of_a_message_is_as_it_will_be_sent_back() -> None:
    found = read(
        ANTHROPIC,
        blocks(
            (
                {"type": "thinking", "thinking": "", "signature": ""},
                [
                    {"type": "thinking_delta", "thinking": "Let "},
                    {"type": "thinking_delta", "thinking": "me."},
                    {"type": "signature_delta", "signature": "c2ln"},
                ],
            ),
            ({"type": "redacted_thinking", "data": "c2VhbGVk"}, []),
            (
                {"type": "text", "text": ""},
                [
                    {"type": "text_delta", "text": "Grüße "},
                    {"type": "citations_delta", "citation": {"type": "char_location", "start_char_index": 0}},
                    {"type": "text_delta", "text": "🙂"},
                ],
            ),
            (
                {"type": "tool_use", "id": "t1", "name": "Read", "input": {}},
                [
                    {"type": "input_json_delta", "partial_json": piece}
                    for piece in ("", '{"path": "a', '.py", "n": 1.0}')
                ],
            ),
            (
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                [{"type": "input_json_delta", "partial_json": '{"query": "x"}'}],
            ),
            (
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s1",
                    "content": [{"type": "web_search_result"}],
                },
                [],
            ),
            ({"type": "a_type_of_tomorrow", "x": [1, None]}, []),
        ),
    )
    assert items(found) == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Let me.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "c2VhbGVk"},
                {
                    "type": "text",
                    "text": "Grüße 🙂",
                    "citations": [{"type": "char_location", "start_char_index": 0}],
                },
                {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py", "n": 1}},
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s1",
                    "content": [{"type": "web_search_result"}],
                },
                {"type": "a_type_of_tomorrow", "x": [1, None]},
            ],
        }
    ]
    assert b'"n":1}' in as_sent_back(found.items, "claude-code")[0]
    assert (found.message, found.partial, found.error) == ("msg_1", False, "")
    assert json.loads(found.usage) == {"input_tokens": 3, "output_tokens": 7}


def test_a_message_that_breaks_off_keeps_what_came_and_says_so() -> None:
    half = blocks(
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": "So far"}]),
        (
            {"type": "tool_use", "id": "t", "name": "n", "input": {}},
            [{"type": "input_json_delta", "partial_json": '{"a'}],
        ),
        stop=False,
    )
    found = read(ANTHROPIC, half, complete=False)
    assert items(found)[0]["content"][0] == {"type": "text", "text": "So far"}
    assert items(found)[0]["content"][1]["input"] == '{"a'
    assert found.partial


def test_an_error_in_the_middle_is_told() -> None:
    stream = events({"type": "error", "error": {"type": "overloaded_error", "message": "x"}})
    assert (read(ANTHROPIC, stream).error, read(ANTHROPIC, stream).items) == ("overloaded_error", ())


OUTPUT = [
    {
        "type": "reasoning",
        "id": "rs",
        "summary": [{"type": "summary_text", "text": "s"}],
        "encrypted_content": "c2Vh",
    },
    {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "status": "completed",
        "content": [
            {"type": "output_text", "text": "Hi", "annotations": []},
            {"type": "refusal", "refusal": "no"},
        ],
    },
    {
        "type": "function_call",
        "id": "f",
        "call_id": "c",
        "name": "n",
        "arguments": '{"a": 1}',
        "status": "completed",
    },
    {"type": "custom_tool_call", "id": "k", "call_id": "d", "name": "p", "input": "*** Begin"},
    {"type": "compaction", "id": "x", "encrypted_content": "c2Vh"},
    {"type": "web_search_call", "id": "w", "status": "completed"},
]


@pytest.mark.parametrize("sent_twice", [True, False])
def test_every_output_item_of_a_response_is_taken_once(sent_twice: bool) -> None:
    response = {"id": "resp_1", "usage": {"input_tokens": 5}, "output": OUTPUT if sent_twice else []}
    stream = events(
        {"type": "response.created", "response": {"id": "resp_1"}},
        *(
            {"type": "response.output_item.done", "output_index": at, "item": item}
            for at, item in enumerate(OUTPUT)
        ),
        {"type": "response.completed", "response": response},
    )
    found = read(RESPONSES, stream)
    assert (items(found), found.message, found.partial) == (OUTPUT, "resp_1", False)
    whole = read(RESPONSES, json.dumps({**response, "output": OUTPUT}).encode(), kind=JSON)
    assert items(whole) == OUTPUT


def test_a_response_that_breaks_off_keeps_what_came() -> None:
    stream = events(
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {"type": "message", "role": "assistant"},
        },
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "So "},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "far"},
        {
            "type": "response.output_item.added",
            "output_index": 1,
            "item": {"type": "function_call", "name": "n"},
        },
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"a'},
    )
    found = read(RESPONSES, stream)
    assert items(found)[0]["content"] == [{"type": "output_text", "text": "So far"}]
    assert items(found)[1]["arguments"] == '{"a'
    assert found.partial


def test_a_completion_is_put_together_from_its_deltas() -> None:
    def chunk(delta: dict[str, Any], end: str | None = None) -> dict[str, Any]:
        return {"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}

    def call(at: int, **more: Any) -> dict[str, Any]:
        return {"tool_calls": [{"index": at, **more}]}

    stream = events(
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "hm"}),
        chunk({"content": "Hi"}),
        chunk(call(0, id="a", type="function", function={"name": "f", "arguments": ""})),
        chunk(call(1, id="b", type="function", function={"name": "g", "arguments": "{}"})),
        chunk(call(0, function={"arguments": '{"x": '})),
        chunk(call(0, function={"arguments": "1}"})),
        {"id": "c1", "choices": [{"index": 1, "delta": {"content": "another choice"}}]},
        chunk({}, "tool_calls"),
        {"id": "c1", "choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 2}},
    )
    found = read(CHAT, stream + b"data: [DONE]\n\n")
    calls = [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]
    message = {"role": "assistant", "content": "Hi", "reasoning_content": "hm", "tool_calls": calls}
    assert items(found) == [message]
    assert (found.message, found.partial) == ("c1", False)
    assert json.loads(found.usage)["prompt_tokens"] == 4
    whole = {"id": "c1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    assert items(read(CHAT, json.dumps(whole).encode(), kind=JSON)) == [message]


def test_what_a_server_repeats_as_an_empty_text_stays_what_it_was() -> None:
    calls: list[dict[str, Any]] = [
        {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x"'}},
        {"index": 0, "id": "", "type": "", "function": {"name": "", "arguments": ": 1}"}},
    ]
    stream = events(*({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]} for call in calls))
    whole = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    assert items(read(CHAT, stream))[0]["tool_calls"] == [whole]


def test_details_of_reasoning_are_one_list_whatever_came_before_them() -> None:
    came: tuple[Any, ...] = ("x", [{"text": "a"}], None, [{"text": "b"}])
    stream = events(*({"choices": [{"index": 0, "delta": {"reasoning_details": one}}]} for one in came))
    assert items(read(CHAT, stream))[0]["reasoning_details"] == [{"text": "a"}, {"text": "b"}]


def test_pieces_of_a_text_of_any_name_are_joined() -> None:
    stream = events(*({"choices": [{"index": 0, "delta": {"thought": piece}}]} for piece in ("Let ", "me.")))
    assert items(read(CHAT, stream)) == [{"role": "assistant", "content": None, "thought": "Let me."}]


def test_what_says_nothing_is_an_answer_but_is_not_sent_back() -> None:
    empty = {"type": "text", "text": ""}
    said = read(ANTHROPIC, blocks((empty, []), ({**empty, "text": "Hi"}, [])))
    assert said.items[0]["content"] == [empty, {"type": "text", "text": "Hi"}]
    assert items(said)[0]["content"] == [{"type": "text", "text": "Hi"}]
    for adapter, stream in (
        (ANTHROPIC, blocks((empty, []))),
        (CHAT, events({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})),
    ):
        found = read(adapter, stream)
        assert (len(found.items), items(found)) == (1, [])


def test_a_refusal_is_an_answer() -> None:
    stream = events(
        {"id": "c", "choices": [{"index": 0, "delta": {"refusal": "I won't."}, "finish_reason": "stop"}]}
    )
    assert items(read(CHAT, stream)) == [{"role": "assistant", "content": None, "refusal": "I won't."}]


ANSWERS = {
    "anthropic": (
        ANTHROPIC,
        provider_anthropic.answer(
            "/messages",
            {"messages": [{"role": "user", "content": "x"}], "stream": True},
            Reply("Hi 🙂", [Call("n", {"a": "ü"})], "think"),
        ).body,
    ),
    "responses": (
        RESPONSES,
        provider_openai.answer(
            "/responses", {"input": [], "stream": True}, Reply("Hi 🙂", [Call("n", {"a": 1})], "think")
        ).body,
    ),
    "chat": (
        CHAT,
        provider_openai.answer(
            "/chat/completions",
            {"messages": [], "stream": True},
            Reply("Hi 🙂", [Call("n", {"a": 1})], "think"),
        ).body,
    ),
}


@given(some.sampled_from(sorted(ANSWERS)), some.lists(some.integers(1, 80), min_size=1, max_size=200))
def test_in_whatever_pieces_a_stream_comes_the_answer_is_the_same(name: str, sizes: list[int]) -> None:
    adapter, stream = ANSWERS[name]
    made, at = Reading(builder(adapter), STREAM), 0
    for size in sizes:
        made.feed(stream[at : at + size])
        at += size
    made.feed(stream[at:])
    assert made.answer(complete=True) == read(adapter, stream)
    assert made.answer(complete=True).items


@given(
    some.sampled_from([ANTHROPIC, RESPONSES, CHAT]),
    some.binary(max_size=400),
    some.sampled_from([STREAM, JSON]),
)
def test_bytes_of_any_kind_are_read_without_a_fault(adapter: Adapter, data: bytes, kind: bytes) -> None:
    for stream in (data, b'data: {"type": "content_block_start", "index": null}\n\n' + data):
        found = read(adapter, stream, kind=kind)
        assert all(isinstance(item, dict) for item in items(found))


MEMBERS = (
    *("type", "index", "delta", "content_block", "item", "output_index", "choices", "tool_calls", "function"),
    *("message", "usage", "content", "id", "output", "response", "error", "arguments", "text"),
)


@given(
    some.sampled_from([ANTHROPIC, RESPONSES, CHAT]),
    some.recursive(
        some.none() | some.booleans() | some.integers() | some.text(max_size=5),
        lambda inner: (
            some.lists(inner, max_size=3)
            | some.dictionaries(
                some.sampled_from(MEMBERS) | some.text(max_size=3),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
)
def test_events_of_any_shape_are_read_without_a_fault(adapter: Adapter, data: Any) -> None:
    begun = {"type": "content_block_start", "index": 0, "content_block": data}
    for stream, kind in ((events(data, begun, data), STREAM), (json.dumps(data).encode(), JSON)):
        found = read(adapter, stream, kind=kind)
        assert all(isinstance(item, dict) for item in items(found))


def test_lines_of_a_stream_end_as_the_standard_lets_them() -> None:
    made = Events()
    assert made.feed(b"event: x\r\ndata: a\r\n") == []
    assert made.feed(b"data:b\r\n\r") == []
    assert made.feed(b"\n: a comment\ndata: c\n\n") == [b"a\nb", b"c"]
    assert made.feed(b"data: d") == []
    assert made.end() == [b"d"]


def test_an_answer_that_is_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST", 100)
    found = read(
        ANTHROPIC, blocks(({"type": "text", "text": ""}, [{"type": "text_delta", "text": "x" * 200}]))
    )
    assert (found.items, found.partial) == ((), True)


def test_hosts_that_write_a_call_anew_have_it_so() -> None:
    call = {
        "type": "function_call",
        "id": "f",
        "call_id": "c",
        "name": "n",
        "arguments": '{"a": 1}',
        "status": "completed",
    }
    answer = Answer((call,))
    assert items(answer, "pi") == [{**call, "arguments": '{"a":1}'}]
    bare = {"type": "function_call", "call_id": "c", "name": "n", "arguments": '{"a":1}'}
    assert items(answer, "opencode") == [bare]
    codex = as_sent_back(answer.items, "codex")[0]
    assert list(json.loads(codex)) == ["type", "status", "id", "name", "arguments", "call_id"]
