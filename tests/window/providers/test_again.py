"""The window that was sent last, made again without a planner."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.window import sent as module
from unabridged.window.execute import Live
from unabridged.window.limits import Gates, Limits
from unabridged.window.providers.adapters import ANTHROPIC, CHAT
from unabridged.window.providers.again import again
from unabridged.window.providers.known import Known
from unabridged.window.sent import Sent, Stood
from unabridged.window.state import State, decode, encode

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


def kept_of(live: Live) -> State:
    """What is remembered of a window, by way of the archive."""
    return decode(encode(live.state))


def sent_before(given: list[dict[str, Any]]) -> tuple[bytes, State]:
    keys = [item.key for item in ANTHROPIC.read(body(given)).conversation.items]
    live = Live(State(address="window:0"), keys)
    made = live.prepare(ANTHROPIC, body(given), SMALL)
    live.under_way(made)
    return made.body, kept_of(live)


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
    assert again(ANTHROPIC, body(given), Known(1 << 20), State()) is None
    assert again(ANTHROPIC, b"{", Known(1 << 20), kept) is None


def test_what_a_provider_would_refuse_is_not_made_again() -> None:
    given = messages(12)
    _, kept = sent_before(given)
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    odd = [*given, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    assert again(ANTHROPIC, body(odd), Known(1 << 20), kept) is not None
    keys = tuple(item.key for item in ANTHROPIC.read(body(odd)).conversation.items)
    torn = Sent((Stood(len(odd) - 1, len(odd)),), len(odd), b"", keys, 0)
    assert again(ANTHROPIC, body(odd), Known(1 << 20), State(sent=torn)) is None


def results(count: int) -> list[dict[str, Any]]:
    """A conversation with so many long results."""
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": f"f{at}", "arguments": "{}"}}
        for at in range(count)
    ]
    long = [
        {"role": "tool", "tool_call_id": f"c{at}", "content": f"{at} " + "word " * 8_000 + f" {at}"}
        for at in range(count)
    ]
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *long,
    ]


def previewed(given: list[dict[str, Any]]) -> tuple[bytes, State]:
    limits = Limits(window=1_000_000, rotation=800_000, hard=900_000, gates=Gates())
    live = Live(State(address="window:0"), {item.key for item in CHAT.read(body(given)).conversation.items})
    made = live.prepare(CHAT, body(given), limits)
    live.under_way(made)
    assert len(made.body) < len(body(given)) // 2
    return made.body, kept_of(live)


def test_previews_are_made_again_from_what_the_client_sends_and_are_not_kept() -> None:
    given = results(200)
    sent, kept = previewed(given)
    assert len(sent) > 256 << 10
    assert len(encode(kept)) < len(sent) // 8
    found = again(CHAT, body(given), Known(1 << 20), kept)
    assert found is not None
    assert found.body == sent


def test_of_a_window_with_very_many_previews_the_later_ones_are_sent_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_TEXT", 2_000)
    given = results(40)
    sent, kept = previewed(given)
    found = again(CHAT, body(given), Known(1 << 20), kept)
    assert found is not None
    there, before = json.loads(found.body)["messages"], json.loads(sent)["messages"]
    few = next(at for at in range(len(there)) if there[at] != before[at])
    assert 5 < few < 40
    assert there[:few] == before[:few]
    assert there[few:] == given[few:]


def test_a_window_with_all_that_came_is_not_kept() -> None:
    given = messages(1)
    _, kept = sent_before(given)
    assert kept.sent is None


def test_what_is_erased_takes_the_kept_window_along() -> None:
    given = messages(12)
    keys = [item.key for item in ANTHROPIC.read(body(given)).conversation.items]
    live = Live(State(address="window:0"), keys)
    live.under_way(live.prepare(ANTHROPIC, body(given), SMALL))
    assert live.state.sent is not None
    live.told(erased=[])
    assert live.state.sent is not None
    live.told(erased=keys[:1])
    assert live.state.sent is None
