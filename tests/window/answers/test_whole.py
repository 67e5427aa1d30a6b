"""An answer as a program has it: what came whole, and the same put together from the events of its stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from unabridged.window.answers.builders import builder
from unabridged.window.answers.contract import Answer
from unabridged.window.answers.whole import answer_of
from unabridged.window.providers.adapters import ADAPTERS, CHAT_FORMAT, MESSAGES_FORMAT, RESPONSES_FORMAT
from unabridged.window.providers.usage import Usage, usage

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


def streamed(form: str, said: Iterable[dict[str, Any]]) -> Answer:
    """An answer put together from its events."""
    made = builder(ADAPTERS[form])
    for event in said:
        made.event(event)
    return made.answer()


def test_a_message_that_streamed_is_the_message() -> None:
    found = streamed(MESSAGES_FORMAT, events())
    whole = {**START, "content": BLOCKS, "usage": {"input_tokens": 9, "output_tokens": 30}}
    assert (found, found.partial) == (answer_of(MESSAGES_FORMAT, whole), False)
    assert found.items == ({"role": "assistant", "content": BLOCKS},)
    assert (found.message, usage(found.usage)) == ("msg_1", Usage(input=9, output=30))


def test_a_stream_that_broke_off_gives_what_came() -> None:
    (item,) = streamed(MESSAGES_FORMAT, events()[:8]).items
    assert item["content"][1] == {"type": "text", "text": "Here "}
    assert streamed(MESSAGES_FORMAT, []) == Answer(partial=True)


def test_the_arguments_of_a_call_that_broke_off_are_kept_as_they_came() -> None:
    came = [event.get("delta", {}).get("partial_json", "") for event in events()]
    end = next(at for at, piece in enumerate(came) if piece.endswith("null}]}"))
    (item,) = streamed(MESSAGES_FORMAT, events()[:end]).items
    assert item["content"][2]["input"] == '{"at": [1, '


def test_numbers_and_empty_texts_stay_as_a_program_has_them() -> None:
    blocks = [{"type": "text", "text": ""}, {"type": "tool_use", "id": "t", "name": "n", "input": {"x": 1.0}}]
    begun = [
        {"type": "content_block_start", "index": at, "content_block": block}
        for at, block in enumerate(blocks)
    ]
    (item,) = streamed(MESSAGES_FORMAT, begun).items
    assert item == answer_of(MESSAGES_FORMAT, {"content": blocks}).items[0]
    assert type(item["content"][1]["input"]["x"]) is float


def chunk(**delta: Any) -> dict[str, Any]:
    return {"id": "c1", "model": "m", "choices": [{"index": 0, "delta": delta}]}


def test_chunks_of_a_completion_are_put_together() -> None:
    said = list[dict[str, Any]]()
    said.append(chunk(role="assistant", content="", refusal=None))
    said.append(chunk(content="Let me "))
    said.append(chunk(content="look.", reasoning_content="hm"))
    said.append(
        chunk(
            tool_calls=[
                {"index": 0, "id": "t1", "type": "function", "function": {"name": "look", "arguments": ""}}
            ]
        )
    )
    said.append(chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"a"'}}]))
    said.append(chunk(tool_calls=[{"index": 0, "function": {"arguments": ": 1}"}}]))
    said.append({"id": "c1", "choices": [{"index": 1, "delta": {"content": "another choice"}}]})
    said.append({"id": "c1", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}})
    found = streamed(CHAT_FORMAT, said)
    assert usage(found.usage) == Usage(input=5, output=2)
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


def test_a_response_is_the_items_that_were_done() -> None:
    items = [{"type": "reasoning", "id": "r"}, {"type": "message", "role": "assistant", "content": []}]
    said: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1", "output": []}},
        *(
            {"type": "response.output_item.done", "output_index": at, "item": item}
            for at, item in reversed(list(enumerate(items)))
        ),
    ]
    assert streamed(RESPONSES_FORMAT, said) == Answer(tuple(items), "resp_1", partial=True)
    whole = {"id": "resp_1", "output": items, "usage": {"input_tokens": 3, "output_tokens": 4}}
    end = {"type": "response.completed", "response": whole}
    for came in ([*said, end], [end]):
        found = streamed(RESPONSES_FORMAT, came)
        assert found == answer_of(RESPONSES_FORMAT, whole)
        assert usage(found.usage) == Usage(input=3, output=4)


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
                    "function_call",
                    "reasoning_details",
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
    assert isinstance(streamed(form, said), Answer)
