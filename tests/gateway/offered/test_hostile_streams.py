"""Streams that no provider should send: nothing is raised, and nothing of ours is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.offered.provider import PROVIDERS, Block, Reply, sse
from unabridged.gateway.offered import sse as cutting
from unabridged.gateway.offered.anthropicform import Anthropic
from unabridged.gateway.offered.contract import ToolCall
from unabridged.gateway.offered.offering import form_of
from unabridged.gateway.offered.rounds import Round, Rounds, decode, encode
from unabridged.gateway.offered.toolloop import ToolLoop, ToolResult
from unabridged.window.providers.adapters import adapter_for

FORMS = sorted(PROVIDERS)
SEARCH: Block = ("call", "unabridged_search", '{"query":"the port"}')
READ: Block = ("call", "read", "{}")
JUNK = (
    b"",
    b"\n\n",
    b": a comment\n\n",
    b"data: \n\n",
    b"data: {\n\n",
    b"data: [1]\n\n",
    b"data: null\n\n",
    b'data: {"type":7}\n\n',
    b'data: {"type":"content_block_delta","index":99,"delta":{}}\n\n',
    b'data: {"type":"content_block_start","index":-1,"content_block":null}\n\n',
    b'data: {"type":"content_block_start","content_block":{"type":"tool_use","name":"unabridged_recall"}}\n\n',
    b'data: {"type":"content_block_delta","index":0,"delta":{"type":"new_delta","x":1}}\n\n',
    b'data: {"type":"message_delta"}\n\n',
    b'data: {"type":"response.output_item.done","output_index":3,"item":{"type":"message"}}\n\n',
    b'data: {"type":"response.output_text.delta","output_index":"x"}\n\n',
    b'data: {"choices":[]}\n\n',
    b'data: {"choices":[{"delta":null}]}\n\n',
    b'data: {"choices":[{"delta":{"tool_calls":[{"index":null}]}}]}\n\n',
    b'data: {"choices":[{"delta":{"tool_calls":[{"index":5,"function":{"arguments":"x"}}]}}]}\n\n',
    b'data: {"choices":7,"usage":{"prompt_tokens":-1}}\n\n',
    b"event: x\r\ndata: {}\r\n\r\n",
    b"\xff\xfe\n\n",
)


def shown(form: str, streams: list[bytes], size: int = 1 << 20) -> tuple[bytes, list[ToolCall]]:
    """What a client gets of streams in turn, and what was asked."""
    adapter = adapter_for(PROVIDERS[form].path)
    assert adapter is not None
    made = form_of(adapter)
    assert made is not None
    asked, waiting = list[ToolCall](), [Reply(stream, size) for stream in streams]

    async def ask(call: ToolCall, most: int) -> ToolResult:
        asked.append(call)
        return ToolResult("found")

    async def keep(seed: str, rounds: Sequence[Round]) -> None:
        assert decode(seed, encode(rounds)) == list(rounds)

    async def again(body: bytes) -> Reply:
        json.loads(body)
        return waiting.pop(0) if waiting else Reply(b"")

    async def run() -> bytes:
        body = json.dumps({PROVIDERS[form].name: ["x"]}).encode()
        turn = ToolLoop(made, body, "seed", Rounds(), ask, keep, streamed=True)
        return b"".join([data async for data in turn.stream(waiting.pop(0), again)])

    return asyncio.run(run()), asked


def stream(form: str, *blocks: Block) -> bytes:
    return PROVIDERS[form]().stream(blocks)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whatever_stands_between_the_events_nothing_is_raised_and_nothing_of_ours_is_shown(data: Any) -> None:
    form = data.draw(st.sampled_from(FORMS))
    events = stream(form, ("think", "t"), ("text", "said"), SEARCH, READ).split(b"\n\n")
    edited = list[bytes]()
    for event in events:
        edited.append(event + b"\n\n" if event else b"")
        if data.draw(st.integers(0, 3)) == 0:
            edited.append(data.draw(st.sampled_from(JUNK)))
        if data.draw(st.integers(0, 9)) == 0:
            edited.pop()
    raw = b"".join(edited)
    got, _ = shown(form, [raw, stream(form, ("text", "end"))], data.draw(st.integers(1, 200)))
    kept = b"".join(one for one in edited if one in JUNK)
    assert got.count(b"unabridged_") <= kept.count(b"unabridged_")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(FORMS), st.integers(0, 3_000))
def test_a_stream_that_ends_anywhere_ends_there_for_the_client(form: str, at: int) -> None:
    raw = stream(form, ("text", "said"), SEARCH)
    got, asked = shown(form, [raw[:at], stream(form, ("text", "end"))])
    assert b"unabridged_" not in got
    if at < len(raw) * 3 // 4:
        assert asked == []


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_of_our_bytes_that_holds_no_call_passes_as_it_came(form: str) -> None:
    raw = b"".join(JUNK[:-2])
    if form == "anthropic":
        raw = raw.replace(JUNK[10], b"")
    got, _ = shown(form, [raw], 7)
    assert got == raw


def test_a_block_of_an_unknown_kind_passes_and_ends_what_we_can_answer() -> None:
    raw = stream("anthropic", ("text", "said"), SEARCH)
    new = sse(
        "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta"}}
    )
    at = raw.index(b"event: content_block_stop")
    got, asked = shown("anthropic", [raw[:at] + new + raw[at:]])
    assert asked == []
    assert new in got
    assert b'"stop_reason":"end_turn"' in got


def test_arguments_that_are_no_json_are_answered_as_such_a_call() -> None:
    raw = stream("anthropic", SEARCH).replace(b'\\"query\\"', b"query")
    got, asked = shown("anthropic", [raw, stream("anthropic", ("text", "end"))])
    assert len(asked) <= 1
    assert b"unabridged_" not in got


def test_a_stream_is_cut_at_each_kind_of_end_of_line() -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        raw = b"event: a" + end + b"data: 1" + end + b"data: 2" + end * 2 + b": c" + end * 2 + b"data:3" + end
        for size in (1, 2, 3, 100):
            events = cutting.Events()
            pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
            found = [event for piece in pieces for event in events.feed(piece)]
            assert [(one.name, one.data) for one in found] == [("a", b"1\n2"), ("", b"")]
            assert b"".join(one.raw for one in found) + events.rest() == raw


def test_an_event_without_an_end_is_not_held_for_ever() -> None:
    events = cutting.Events()
    piece = b"x" * (8 << 20)
    passed = sum(len(event.raw) for _ in range(12) for event in events.feed(piece))
    assert passed >= 64 << 20


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
def test_a_provider_of_messages_may_leave_the_usage_out_of_the_end(streamed: bool) -> None:
    provider = PROVIDERS["anthropic"]()
    raw = (provider.stream if streamed else provider.whole)([("call", "unabridged_search", "{}")])
    told = (
        raw.replace(b'"usage":{"output_tokens":10}', b'"usage":null')
        if streamed
        else json.dumps(json.loads(raw) | {"usage": None}, separators=(",", ":")).encode()
    )
    assert told != raw
    answer = Anthropic().answer("0" * 32, streamed=streamed)
    shown = answer.feed(told)
    assert [asked.name for asked in answer.heard().asked] == ["unabridged_search"]
    shown += answer.finish()
    assert b"unabridged_" not in shown
    assert b'"usage":null' in shown
    assert b'"stop_reason":"end_turn"' in shown
