"""To which requests tools are added, and what becomes of them under a window."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.gateway.offered.provider import PROVIDERS, Block
from tests.gateway.offered.talk import Talk
from unabridged.gateway.offered.tools import OURS, TOOLS
from unabridged.schema.tokens import by_length
from unabridged.window.limits import Profile, limits
from unabridged.window.providers.adapters import adapter_for

FORMS = sorted(PROVIDERS)
SEARCH: Block = ("call", "unabridged_search", '{"query":"the port"}')
forms = pytest.mark.parametrize("form", FORMS)


def talk(form: str, **more: Any) -> Talk:
    made = Talk(PROVIDERS[form](), **more)
    made.says("What port?")
    return made


def names(body: bytes) -> list[str]:
    """The names of a request's tools."""
    return [tool.get("name") or tool["function"]["name"] for tool in json.loads(body)["tools"]]


def offered(one: Talk) -> bool:
    assert one.offering is not None
    return one.offering.offered


@forms
def test_tools_follow_the_clients_own_and_are_the_same_bytes_each_time(form: str) -> None:
    one = talk(form)
    first = one.send()
    assert names(first) == ["read", "unabridged_search", "unabridged_gather", "unabridged_recall"]
    one.answer([("text", "Hm.")])
    one.says("More.")
    second = one.send()
    assert one.offering is not None
    tools = b"," + one.offering.form.tools + b"]"
    assert first.count(tools) == second.count(tools) == 1


@forms
def test_the_rest_of_a_request_keeps_its_bytes(form: str) -> None:
    one = talk(form)
    sent = one.send()
    assert one.offering is not None
    body = json.dumps(one.provider.request(one.history)).encode()
    assert sent.replace(b"," + one.offering.form.tools, b"") == body


@pytest.mark.parametrize("name", ["mcp__unabridged__search", "unabridged_search", "mcp__unabridged"])
@forms
def test_nothing_is_offered_to_who_has_our_server(form: str, name: str) -> None:
    one = talk(form)
    assert names(one.send(tools=("read", name))) == ["read", name]
    assert not offered(one)


def test_nothing_is_offered_where_a_host_lists_our_tools_beside_its_tools() -> None:
    one = Talk(PROVIDERS["anthropic"]())
    one.history = [
        {"role": "user", "content": "What port?"},
        {"role": "system", "content": "Deferred tools: mcp__unabridged__search"},
    ]
    one.send()
    assert not offered(one)


def test_a_user_who_speaks_of_our_server_changes_nothing() -> None:
    one = Talk(PROVIDERS["anthropic"]())
    one.says("What is mcp__unabridged__search?")
    one.send()
    assert offered(one)


@forms
def test_nothing_is_offered_beside_the_conversation(form: str) -> None:
    one = talk(form)
    one.send(tools=())
    assert not offered(one)
    one.history = []
    one.says("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSummarise.")
    one.send()
    assert not offered(one)


@pytest.mark.parametrize(
    ("form", "more"),
    [
        ("responses", {"store": True}),
        ("responses", {"store": None}),
        ("responses", {"previous_response_id": "resp_1"}),
        ("responses", {"background": True}),
        ("chat", {"n": 2}),
    ],
)
def test_nothing_is_offered_where_the_history_is_kept_elsewhere_or_answers_are_several(
    form: str, more: dict[str, Any]
) -> None:
    one = talk(form)
    body = json.dumps(one.provider.request(one.history, **more)).encode()
    assert one.send(**more) == body
    assert not offered(one)


@forms
def test_under_a_window_what_was_asked_leaves_with_its_turn(form: str) -> None:
    one = talk(form)
    one.limits = limits(Profile(), 40_000)
    rotated = 0
    for turn in range(60):
        one.answer([("text", f"Look {turn}."), SEARCH], [("text", f"It is {turn}: " + "word " * 400)])
        one.says(f"Next {turn}?")
        sent = one.send()
        rotated += one.plan.rotated
        said = [words for _, words in one.provider.told(sent)]
        # Each call has its result, and stands where it stood.
        calls = [at for at, words in enumerate(said) if words == "call unabridged_search"]
        assert [said[at - 1][:5] for at in calls] == ["Look "] * len(calls)
        assert [said[at + 1][:13] for at in calls] == ["result found "] * len(calls)
        assert len(calls) == sum(words.startswith("It is ") for words in said)
    assert rotated >= 2
    assert len(calls) < 30


@forms
def test_the_plan_knows_how_large_what_was_asked_is(form: str) -> None:
    one = talk(form)
    one.answer([SEARCH], [("text", "It is 80.")])
    one.says("Next?")
    one.send()
    bare = one.plan.estimate
    adapter = adapter_for(one.provider.path)
    assert adapter is not None
    body = json.dumps(one.provider.request(one.history)).encode()
    alone = adapter.read(body).conversation.tokens
    assert one.offering is not None
    size = one.rounds.all()[0].size
    assert bare - alone == by_length(len(one.offering.form.tools)) + by_length(size)


def test_what_cannot_be_put_back_is_left_out_and_the_request_goes_on() -> None:
    one = talk("anthropic")
    seen = one.answer([SEARCH], [("text", "It is 80."), ("call", "read", "{}")])
    one.history += one.provider.results(seen)
    # A client that gave its own call the id of ours: two calls of one id are refused.
    ours = json.loads(one.rounds.all()[0].calls[0].raw)["id"]
    one.history = json.loads(json.dumps(one.history).replace(seen["history"][0]["content"][1]["id"], ours))
    said = [words for _, words in one.provider.told(one.send())]
    assert said == ["What port?", "It is 80.", "call read", "result read it"]
    assert offered(one)


def test_each_tool_says_what_the_others_are_called() -> None:
    assert list(OURS) == ["unabridged_search", "unabridged_gather", "unabridged_recall"]
    assert "`unabridged_recall`" in TOOLS[0].words
    assert all(argument.means == "plain" for tool in TOOLS for argument in tool.arguments)
