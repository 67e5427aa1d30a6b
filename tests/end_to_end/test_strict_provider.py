"""The provider of the tests refuses what real ones refuse, and counts its cache as they do."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.support import provider_anthropic, provider_openai
from tests.support.provider import Call, Provider, Reply
from tests.support.provider_meter import Meter

LONG = "word " * 4_000  # about 5,000 tokens


def asked(provider: Provider, path: str, body: Any) -> tuple[int, Any]:
    """Status and answer."""
    request = urllib.request.Request(
        provider.url + path, json.dumps(body).encode(), {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def said(text: str, *, marked: bool = False) -> dict[str, Any]:
    """A user's message."""
    block: dict[str, Any] = {"type": "text", "text": text}
    if marked:
        block["cache_control"] = {"type": "ephemeral"}
    return {"role": "user", "content": [block]}


def test_a_prompt_above_the_window_is_refused_in_the_words_of_each_api() -> None:
    with Provider([provider_anthropic, provider_openai], meter=Meter(1_000)) as provider:
        status, answer = asked(provider, "/v1/messages", {"model": "m", "messages": [said(LONG)]})
        assert status == 400
        assert answer["error"]["message"].startswith("prompt is too long: ")
        for path, body in (
            ("/v1/responses", {"input": [{"role": "user", "content": LONG}]}),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": LONG}]}),
        ):
            status, answer = asked(provider, path, body)
            assert (status, answer["error"]["code"]) == (400, "context_length_exceeded")
        assert len(provider.refusals) == 3


def test_what_is_read_from_the_cache_is_what_an_earlier_mark_wrote() -> None:
    meter = Meter()
    with Provider([provider_anthropic], meter=meter) as provider:
        first = [said(LONG, marked=True)]
        asked(provider, "/v1/messages", {"model": "m", "messages": first})
        more = [said(LONG), {"role": "assistant", "content": "done."}, said("More.", marked=True)]
        _, answer = asked(provider, "/v1/messages", {"model": "m", "messages": more})
        other = [said(f"x{LONG}", marked=True)]
        asked(provider, "/v1/messages", {"model": "m", "messages": other})
    written, again, changed = meter.sizes
    assert (written.read, written.write) == (0, written.tokens)
    assert again.read == written.write
    assert answer["usage"]["cache_read_input_tokens"] == again.read
    assert changed.read == 0


def test_without_marks_the_longest_common_prefix_is_read() -> None:
    meter = Meter()
    with Provider([provider_openai], meter=meter) as provider:
        for tail in ("one", "two"):
            history = [{"role": "user", "content": LONG}, {"role": "user", "content": tail}]
            asked(provider, "/v1/responses", {"model": "m", "input": history})
    assert meter.sizes[0].read == 0
    assert 4_900 < meter.sizes[1].read < meter.sizes[1].tokens
    assert meter.sizes[1].read % 128 == 0


@pytest.mark.parametrize("change", ["text", "signature", "gone"])
def test_thinking_must_come_back_as_it_was(change: str) -> None:
    with Provider([provider_anthropic], [Reply("I look.", [Call("run", {})], "A thought.")]) as provider:
        _, answer = asked(provider, "/v1/messages", {"model": "m", "tools": [{}], "messages": [said("Hi.")]})
        blocks = answer["content"]
        result = {"type": "tool_result", "tool_use_id": blocks[-1]["id"], "content": "x"}

        def status() -> int:
            turns = [
                said("Hi."),
                {"role": "assistant", "content": blocks},
                {"role": "user", "content": [result]},
            ]
            return asked(provider, "/v1/messages", {"model": "m", "tools": [{}], "messages": turns})[0]

        assert status() == 200
        if change == "text":
            blocks[0]["thinking"] = "Another thought."
        elif change == "signature":
            del blocks[0]["signature"]
        else:
            del blocks[0]
        assert status() == 400


def test_reasoning_must_not_stand_alone_or_be_changed() -> None:
    with Provider([provider_openai], [Reply("", [Call("run", {})], "A thought.")]) as provider:
        asks = {"model": "m", "tools": [{}], "input": [{"role": "user", "content": "Hi."}]}
        _, answer = asked(provider, "/v1/responses", asks)
        reasoning, call = answer["output"]
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": "x"}

        def status(*items: Any) -> int:
            return asked(provider, "/v1/responses", {**asks, "input": [*asks["input"], *items]})[0]

        assert status(reasoning, call, output) == 200
        assert status(call, output) == 200  # a request without it is a sound one
        assert status(reasoning) == 400
        assert status({**reasoning, "encrypted_content": "b3RoZXI="}, call, output) == 400
