"""A request comes back as it was given, whatever it is, and what is no JSON is not in the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from unabridged.api.exchange import Exchange
from unabridged.api.keeping import Keeper, Named
from unabridged.api.window import Window
from unabridged.errors import DaemonUnavailable
from unabridged.window.limits import Limits

NAMED = Named("0" * 32, "api", "s", "", "anthropic/m")
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: (
        some.lists(inner, max_size=4)
        | some.dictionaries(
            some.sampled_from(["role", "content", "type", "text", "tool_use_id", "input"])
            | some.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


class Tight:
    """Rules under which almost everything is too long."""

    def limits(self, model: str, reserve: int, told: int) -> Limits:
        return Limits(rotation=50, hard=80, rotation_turns=2, retain_turns=1)

    def redact(self, text: str) -> str:
        return text


def gone(op: str, *_: object) -> Any:
    raise DaemonUnavailable("it is gone", op=op)


@settings(max_examples=150, deadline=None)
@given(messages=some.lists(JSON, max_size=6), form=some.sampled_from(["messages", "responses", "chat"]))
def test_without_an_archive_every_list_passes_as_it_is(messages: list[Any], form: str) -> None:
    window = Window(Keeper(gone, NAMED, strict=False), Tight())
    assert window.apply(messages, format=form) is messages
    window.record({"content": messages, "choices": messages, "output": messages, "usage": messages})
    assert window.fault


@settings(max_examples=100, deadline=None)
@given(body=some.dictionaries(some.sampled_from(["messages", "input", "model", "max_tokens", "betas"]), JSON))
def test_every_mapping_passes_as_it_is(body: dict[str, Any]) -> None:
    window = Window(Keeper(gone, NAMED, strict=False), Tight())
    assert window.apply(body) == body or str(body) == str(
        window.apply(body)
    )  # what is not a number equals nothing


@settings(max_examples=100, deadline=None)
@given(body=some.binary(max_size=200))
def test_every_body_passes_as_it_is(body: bytes) -> None:
    assert Window(Keeper(gone, NAMED, strict=False), Tight()).apply(body) == body


def test_what_a_client_keeps_for_itself_is_left_out_of_the_wire_and_given_back() -> None:
    kept = {"timeout": object(), "output_format": int, "messages": iter([{"role": "user", "content": "hi"}])}
    exchange = Exchange(kept, "messages", "anthropic/m")
    assert exchange.body == b'{"messages":[{"content":"hi","role":"user"}]}'
    assert isinstance(exchange.given, Mapping)
    assert {**exchange.given, "messages": ()} == {**kept, "messages": ()}
    assert exchange.given["messages"] == [{"role": "user", "content": "hi"}]
    broken = Exchange({"messages": [object()]}, "messages", "anthropic/m")
    assert broken.body == b""


@pytest.mark.parametrize(
    ("arguments", "reserve", "told"),
    [
        ({"max_tokens": 5}, 5, 0),
        ({"max_output_tokens": 6, "max_tokens": None}, 6, 0),
        ({"max_completion_tokens": 7, "betas": ["context-1m-2025-08-07"]}, 7, 1_000_000),
        ({"extra_headers": {"anthropic-beta": "other, context-1m-2025-08-07"}}, 0, 1_000_000),
        ({"max_tokens": "many", "betas": "context-1m"}, 0, 0),
    ],
)
def test_a_request_says_what_its_answer_may_have_and_how_long_it_may_be(
    arguments: dict[str, Any], reserve: int, told: int
) -> None:
    exchange = Exchange({**arguments, "messages": []}, "messages", "anthropic/m")
    assert (exchange.reserve, exchange.told) == (reserve, told)


def test_conversations_are_told_apart_by_their_first_message_of_a_user() -> None:
    def chain(*texts: str) -> str:
        messages = [
            {"role": "system", "content": "x"},
            *({"role": "user", "content": text} for text in texts),
        ]
        return Exchange({"messages": messages}, "chat", "openai/m").chain

    assert chain("a", "b") == chain("a", "c") != chain("b")
    assert chain() == ""
