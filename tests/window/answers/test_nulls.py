"""What a provider's types let be null says as much as what is not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anthropic.types
import msgspec
import openai.types.chat
import openai.types.responses
import pytest
from openai._models import construct_type

from tests.support import provider_anthropic, provider_openai
from tests.support.nullable import Path, bare, nullable, with_null, without
from tests.support.provider import Call, Reply
from unabridged.window.answers.builders import builder
from unabridged.window.answers.contract import Answer
from unabridged.window.answers.reading import Reading
from unabridged.window.answers.shapes import as_sent_back
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter

STREAM, JSON = b"text/event-stream", b"application/json"
REPLY = Reply("Hi", [Call("n", {"a": 1}), Call("m", {"b": 2})], "think")
ASKED = {"messages": [{"role": "user", "content": "x"}], "input": []}
# Each format with what gives its answers, where, and the types of its events and of a whole answer.
FORMATS: dict[str, tuple[Adapter, Any, str, Any, Any]] = {
    "anthropic": (
        ANTHROPIC,
        provider_anthropic,
        "/messages",
        anthropic.types.RawMessageStreamEvent,
        anthropic.types.Message,
    ),
    "responses": (
        RESPONSES,
        provider_openai,
        "/responses",
        openai.types.responses.ResponseStreamEvent,
        openai.types.responses.Response,
    ),
    "chat": (
        CHAT,
        provider_openai,
        "/chat/completions",
        openai.types.chat.ChatCompletionChunk,
        openai.types.chat.ChatCompletion,
    ),
}


def stream(form: str) -> list[Any]:
    _, provider, path, _, _ = FORMATS[form]
    more = {"stream": True, "stream_options": {"include_usage": True}}
    body: bytes = provider.answer(path, {**ASKED, **more}, REPLY).body
    lines = [line.removeprefix(b"data: ") for line in body.split(b"\n") if line.startswith(b"data: {")]
    return [json.loads(line) for line in lines]


def whole(form: str) -> Any:
    _, provider, path, _, _ = FORMATS[form]
    return json.loads(provider.answer(path, ASKED, REPLY).body)


def read(form: str, events: list[Any]) -> Any:
    made = Reading(builder(FORMATS[form][0]), STREAM)
    made.feed(b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in events))
    return told(made.answer(complete=True))


def told(answer: Answer) -> Any:
    """What is archived and accounted for of an answer."""
    usage = json.loads(answer.usage) if answer.usage else None
    items = [json.loads(raw) for raw in as_sent_back(answer.items, "")]
    return bare([items, usage, *msgspec.structs.astuple(answer)[3:], answer.message])


def places(form: str) -> Iterator[tuple[int, Path]]:
    for at, event in enumerate(stream(form)):
        for path in nullable(construct_type(value=event, type_=FORMATS[form][3])):
            yield at, path


def named(value: object) -> str:
    return ".".join(map(str, value)) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_member_of_a_stream_that_may_be_null_may_be_null(form: str) -> None:
    events, found = stream(form), list(places(form))
    assert len(found) > 10
    for at, path in found:
        null, left_out = (
            [*events[:at], make(events[at], path), *events[at + 1 :]] for make in (with_null, without)
        )
        assert read(form, null) == read(form, left_out), f"event {at}: {named(path)}"


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_member_of_an_answer_that_may_be_null_may_be_null(form: str) -> None:
    answer, adapter = whole(form), FORMATS[form][0]
    for path in nullable(construct_type(value=answer, type_=FORMATS[form][4])):
        found = list[Any]()
        for make in (with_null, without):
            made = Reading(builder(adapter), JSON)
            made.feed(json.dumps(make(answer, path)).encode())
            found.append(told(made.answer(complete=True)))
        assert found[0] == found[1], named(path)


MEMBERS: tuple[tuple[str, Any], ...] = (
    ("function_call", None),
    ("tool_calls", None),
    (
        "tool_calls",
        [{"index": None, "id": "a", "function": {"name": "f", "arguments": None}, "custom": None}],
    ),
    ("audio", None),
    ("reasoning_details", None),
)


@pytest.mark.parametrize(("name", "value"), MEMBERS)
def test_what_a_server_names_in_every_chunk_is_no_call(name: str, value: Any) -> None:
    chunks = [{"choices": [{"index": None, "delta": {"content": "Hi", name: value}}]}]
    (found,) = read("chat", chunks)[0]
    assert found["content"] == "Hi"
    assert "function_call" not in found
    calls = [{"id": "a", "function": {"name": "f"}}] if value else None
    assert found.get("tool_calls") == calls
