"""The window that was sent last, made again without a planner."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.window.execute import Live
from unabridged.window.limits import Gates, Limits
from unabridged.window.providers import again as module
from unabridged.window.providers.adapters import ANTHROPIC, CHAT
from unabridged.window.providers.again import Last, again, last
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import sending
from unabridged.window.state import State
from unabridged.window.window import Span

SMALL = Limits(window=4_000, rotation=1_000, hard=2_000, retain_turns=1, gates=Gates(result=200))


def messages(turns: int) -> list[dict[str, Any]]:
    found = list[dict[str, Any]]()
    for number in range(turns):
        found += [
            {"role": "user", "content": f"question {number} " + "word " * 100},
            {"role": "assistant", "content": f"answer {number}"},
        ]
    return [*found, {"role": "user", "content": "and now?"}]


def body(given: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": "m", "messages": given}).encode()


def sent_before(given: list[dict[str, Any]]) -> tuple[bytes, Last]:
    keys = [item.key for item in ANTHROPIC.read(body(given)).conversation.items]
    made = sending(ANTHROPIC, body(given), State(address="window:0"), SMALL, set(keys))
    assert made.plan is not None
    return made.body, last(made, Last())


def test_the_same_request_has_the_same_bytes_and_a_longer_one_begins_with_them() -> None:
    given = messages(12)
    sent, kept = sent_before(given)
    assert len(sent) < len(body(given)) // 2
    found = again(ANTHROPIC, body(given), Known(1 << 20), kept)
    assert found is not None
    assert found.body == sent
    more = [*given, {"role": "assistant", "content": "so"}, {"role": "user", "content": "word " * 5_000}]
    found = again(ANTHROPIC, body(more), Known(1 << 20), kept)
    assert found is not None
    assert json.loads(found.body)["messages"] == [*json.loads(sent)["messages"], *more[-2:]]


def test_what_the_user_said_last_may_be_another_text() -> None:
    given = messages(12)
    sent, kept = sent_before(given)
    other = [*given[:-1], {"role": "user", "content": "no, another thing"}]
    found = again(ANTHROPIC, body(other), Known(1 << 20), kept)
    assert found is not None
    assert json.loads(found.body)["messages"] == [*json.loads(sent)["messages"][:-1], other[-1]]


def test_another_history_one_that_ends_before_the_cut_and_one_that_was_never_sent_have_none() -> None:
    given = messages(12)
    _, kept = sent_before(given)
    for other in (given[:5], [{"role": "user", "content": "another"}, *given[1:]]):
        assert again(ANTHROPIC, body(other), Known(1 << 20), kept) is None
    assert again(ANTHROPIC, body(given), Known(1 << 20), Last()) is None
    assert again(ANTHROPIC, b"{", Known(1 << 20), kept) is None


def test_what_a_provider_would_refuse_is_not_made_again() -> None:
    given = messages(12)
    _, kept = sent_before(given)
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    odd = [*given, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    assert again(ANTHROPIC, body(odd), Known(1 << 20), kept) is not None
    torn = last(sending(ANTHROPIC, body(odd), State(), SMALL), Last())
    cut = Last((Span(len(odd) - 1, len(odd)),), torn.keys)
    assert again(ANTHROPIC, body(odd), Known(1 << 20), cut) is None


def test_a_window_with_very_many_previews_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": f"f{at}", "arguments": "{}"}}
        for at in range(40)
    ]
    results = [
        {"role": "tool", "tool_call_id": f"c{at}", "content": f"{at} " + "word " * 8_000} for at in range(40)
    ]
    given = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *results,
    ]
    limits = Limits(window=1_000_000, rotation=800_000, hard=900_000, gates=Gates())
    keys = {item.key for item in CHAT.read(body(given)).conversation.items}
    live = Live(State(address="window:0"), keys)
    made = live.prepare(CHAT, body(given), limits)
    assert len(made.body) < len(body(given)) // 2
    assert last(made.sending, Last()).keys
    monkeypatch.setattr(module, "MOST_TEXT", 10_000)
    assert last(made.sending, Last()) == Last()
