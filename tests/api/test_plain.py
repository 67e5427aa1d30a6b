"""Objects of a provider's client as JSON: the fields that say something, under their names on the wire."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic import NOT_GIVEN
from anthropic.types import Message, TextBlock, ToolUseBlock
from openai import omit
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ParsedResponseOutputMessage, ParsedResponseOutputText
from pydantic import BaseModel, Field

from unabridged.api.plain import plain


class Aliased(BaseModel):
    schema_: dict[str, Any] = Field(alias="schema")
    hidden: str = ""
    __api_exclude__ = {"hidden"}


def test_plain_values_stay() -> None:
    value = {"a": [1, 2.5, None, True, "x"], "b": {"c": ()}}
    assert plain(value) == {"a": [1, 2.5, None, True, "x"], "b": {"c": []}}
    assert plain(iter("ab")) == ["a", "b"]


def test_a_clients_object_is_the_same_item_however_it_was_made() -> None:
    message = Message.model_validate(
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "x",
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": [
                {"type": "text", "text": "a", "citations": None},
                {"type": "tool_use", "id": "t", "name": "n", "input": {"kept": None}},
            ],
        }
    )
    assert plain(message.content) == [
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "t", "name": "n", "input": {"kept": None}},
    ]
    assert plain(TextBlock(type="text", text="a")) == plain(message.content[0])
    assert plain(ToolUseBlock(type="tool_use", id="t", name="n", input={})) == {
        "type": "tool_use",
        "id": "t",
        "name": "n",
        "input": {},
    }


def test_fields_that_a_provider_added_are_kept_and_empty_ones_are_not() -> None:
    made = ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": "a", "annotations": [], "refusal": None, "reasoning_content": "new"}
    )
    assert plain(made) == {"role": "assistant", "content": "a", "reasoning_content": "new"}


def test_names_are_those_of_the_wire_and_what_a_client_keeps_back_is_left_out() -> None:
    assert plain(Aliased(schema={"x": 1}, hidden="y")) == {"schema": {"x": 1}}


def test_what_a_client_keeps_back_of_a_part_takes_nothing_else_of_its_field() -> None:
    said = {"type": "output_text", "text": "a", "annotations": [], "parsed": None}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [said]}
    bare = {**message, "content": [{"type": "output_text", "text": "a"}]}
    assert plain(ParsedResponseOutputMessage.model_validate(message)) == bare
    part = ParsedResponseOutputText.model_validate({**said, "parsed": {"x": 1}})
    assert plain(ParsedResponseOutputMessage.construct(**{**message, "content": [part]})) == bare


def test_arguments_that_were_not_given_are_not_there() -> None:
    assert plain({"a": NOT_GIVEN, "b": omit, "c": 1}) == {"c": 1}


@pytest.mark.parametrize("value", [object(), b"bytes", {1: 2}, [object()]])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        plain(value)
