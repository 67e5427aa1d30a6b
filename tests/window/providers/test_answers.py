"""An answer as the items that a client sends back, whole or put together from its stream."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from unabridged.window.providers.answers import (
    CHAT_FORMAT,
    MESSAGES_FORMAT,
    RESPONSES_FORMAT,
    Answered,
    answer_of,
)
from unabridged.window.providers.streams import growing
from unabridged.window.providers.usage import Usage

BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "let me see", "signature": "c2ln"},
    {"type": "text", "text": "Here it is.", "citations": [{"cited_text": "x"}]},
    {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": [1, {"b": None}]}},
    {"type": "tool_use", "id": "t2", "name": "look", "input": {}},
    {"type": "unheard_of", "data": 1},
]
START = {"id": "msg_1", "role": "assistant", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}


def events() -> list[dict[str, Any]]:
    """The blocks as Anthropic streams them."""
    found: list[dict[str, Any]] = [{"type": "message_start", "message": START}, {"type": "ping"}]

    def begin(index: int, block: Any) -> None:
        found.append({"type": "content_block_start", "index": index, "content_block": block})

    def delta(index: int, kind: str, **said: Any) -> None:
        found.append({"type": "content_block_delta", "index": index, "delta": {"type": kind, **said}})

    begin(0, {"type": "thinking", "thinking": "", "signature": ""})
    delta(0, "thinking_delta", thinking="let me ")
    delta(0, "thinking_delta", thinking="see")
    delta(0, "signature_delta", signature="c2ln")
    begin(1, {"type": "text", "text": ""})
    delta(1, "text_delta", text="Here ")
    delta(1, "text_delta", text="it is.")
    delta(1, "citations_delta", citation={"cited_text": "x"})
    delta(1, "unheard_of_delta", text="nothing")
    begin(2, {"type": "tool_use", "id": "t1", "name": "look", "input": {}})
    delta(2, "input_json_delta", partial_json='{"at": [1, ')
    delta(2, "input_json_delta", partial_json='{"b": null}]}')
    begin(3, {"type": "tool_use", "id": "t2", "name": "look", "input": {}})
    delta(3, "input_json_delta", partial_json="")
    begin(4, {"type": "unheard_of", "data": 1})
    stop = {"stop_reason": "tool_use"}
    return [
        *found,
        {
            "type": "message_delta",
            "delta": stop,
            "usage": {"output_tokens": 30, "cache_read_input_tokens": None},
        },
        {"type": "message_stop"},
    ]


def test_a_message_that_streamed_is_the_message() -> None:
    growing_message = growing(MESSAGES_FORMAT)
    for event in events():
        growing_message.take(event)
    answer = growing_message.answer()
    assert answer["content"] == BLOCKS
    assert answer_of(MESSAGES_FORMAT, answer) == Answered(
        ({"role": "assistant", "content": BLOCKS},), "msg_1", Usage(input=9, output=30)
    )


def test_a_stream_that_broke_off_gives_what_came() -> None:
    broken = growing(MESSAGES_FORMAT)
    for event in events()[:8]:
        broken.take(event)
    (item,) = answer_of(MESSAGES_FORMAT, broken.answer()).items
    assert item["content"][1] == {"type": "text", "text": "Here "}
    assert answer_of(MESSAGES_FORMAT, growing(MESSAGES_FORMAT).answer()) == Answered()


def test_the_arguments_of_a_call_that_broke_off_are_kept_as_they_came() -> None:
    broken = growing(MESSAGES_FORMAT)
    for event in events():
        if event.get("delta", {}).get("partial_json", "").endswith("null}]}"):
            break
        broken.take(event)
    assert broken.answer()["content"][2]["input"] == {"partial_json": '{"at": [1, '}


def chunk(**delta: Any) -> dict[str, Any]:
    return {"id": "c1", "model": "m", "choices": [{"index": 0, "delta": delta}]}


def test_chunks_of_a_completion_are_put_together() -> None:
    chat = growing(CHAT_FORMAT)
    chat.take(chunk(role="assistant", content="", refusal=None))
    chat.take(chunk(content="Let me "))
    chat.take(chunk(content="look.", reasoning_content="hm"))
    chat.take(
        chunk(
            tool_calls=[
                {"index": 0, "id": "t1", "type": "function", "function": {"name": "look", "arguments": ""}}
            ]
        )
    )
    chat.take(chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"a"'}}]))
    chat.take(chunk(tool_calls=[{"index": 0, "function": {"arguments": ": 1}"}}]))
    chat.take({"id": "c1", "choices": [{"index": 1, "delta": {"content": "another choice"}}]})
    chat.take({"id": "c1", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}})
    found = answer_of(CHAT_FORMAT, chat.answer())
    assert found.usage == Usage(input=5, output=2)
    assert found.message == "c1"
    assert found.items == (
        {
            "role": "assistant",
            "content": "Let me look.",
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
            ],
        },
    )


def test_a_response_is_its_end_or_the_items_that_were_done() -> None:
    items = [{"type": "reasoning", "id": "r"}, {"type": "message", "role": "assistant", "content": []}]
    response = growing(RESPONSES_FORMAT)
    response.take({"type": "response.created", "response": {"id": "resp_1", "output": []}})
    for at, item in reversed(list(enumerate(items))):
        response.take({"type": "response.output_item.done", "output_index": at, "item": item})
    assert answer_of(RESPONSES_FORMAT, response.answer()) == Answered(tuple(items), "resp_1")
    whole = {"id": "resp_1", "output": items[:1], "usage": {"input_tokens": 3, "output_tokens": 4}}
    response.take({"type": "response.completed", "response": whole})
    assert answer_of(RESPONSES_FORMAT, response.answer()).items == (items[0],)
    assert answer_of(RESPONSES_FORMAT, response.answer()).usage == Usage(input=3, output=4)


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=5),
    lambda inner: (
        some.lists(inner, max_size=4)
        | some.dictionaries(
            some.sampled_from(
                [
                    "type",
                    "message",
                    "content",
                    "choices",
                    "delta",
                    "output",
                    "index",
                    "usage",
                    "tool_calls",
                    "response",
                ]
            )
            | some.text(max_size=3),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("form", [MESSAGES_FORMAT, CHAT_FORMAT, RESPONSES_FORMAT])
@given(answer=some.dictionaries(some.sampled_from(["id", "content", "choices", "output", "usage"]), JSON))
def test_an_answer_of_any_form_is_read_without_complaint(form: str, answer: dict[str, Any]) -> None:
    for item in answer_of(form, answer).items:
        assert item


EVENT = some.dictionaries(
    some.sampled_from(
        [
            "type",
            "message",
            "content_block",
            "delta",
            "choices",
            "index",
            "usage",
            "response",
            "output_index",
            "item",
        ]
    ),
    JSON
    | some.sampled_from(
        [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "message_delta",
            "response.output_item.done",
        ]
    ),
    max_size=6,
)


@pytest.mark.parametrize("form", [MESSAGES_FORMAT, CHAT_FORMAT, RESPONSES_FORMAT])
@given(said=some.lists(EVENT, max_size=6))
def test_events_of_any_form_are_taken_without_complaint(form: str, said: list[dict[str, Any]]) -> None:
    found = growing(form)
    for event in said:
        found.take(event)
    assert isinstance(answer_of(form, found.answer()), Answered)
