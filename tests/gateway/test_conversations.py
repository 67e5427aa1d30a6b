"""Whose conversation a request goes on with."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from unabridged.gateway import conversations as module
from unabridged.gateway.conversations import OpenConversation, OpenConversations
from unabridged.gateway.identity import Beside, Who, beside, who
from unabridged.window.messages import Conversation
from unabridged.window.providers.adapters import ANTHROPIC, RESPONSES
from unabridged.window.providers.known import Known
from unabridged.window.providers.sidecalls import Aside, aside

NOBODY = Who("api")
CLAUDE = Who("claude-code", "s1")
TOOLS = Beside(tools=True)


def conversation(*texts: str) -> Conversation:
    """User and assistant in turn."""
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    return ANTHROPIC.read(json.dumps({"model": "m", "messages": messages}).encode()).conversation


def made(place: str = "/project") -> OpenConversations:
    return OpenConversations(Known(1 << 20), place)


def find(conversations: OpenConversations, whose: Who, *texts: str, said: Beside = TOOLS) -> OpenConversation:
    found = conversation(*texts)
    return conversations.find(whose, found, said, aside(found))


# --- whose ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "body", "host", "session"),
    [
        ({"x-claude-code-session-id": "abc", "user-agent": "claude-cli/2.1"}, {}, "claude-code", "abc"),
        ({"thread-id": "t", "session-id": "s", "user-agent": "codex_exec/0.1"}, {}, "codex", "t"),
        ({"session-id": "s", "user-agent": "pi/1.6"}, {}, "pi", "s"),
        ({"x-session-id": "o", "user-agent": "opencode/1.1"}, {}, "opencode", "o"),
        ({"user-agent": "pi/1.6"}, {"prompt_cache_key": "k"}, "pi", "k"),
        ({"user-agent": "pi/1.6"}, {}, "pi", ""),
        ({}, {"metadata": {"user_id": '{"session_id": "m"}'}}, "api", "m"),
        ({"x-session-id": "a b"}, {}, "api", ""),
        ({"x-session-id": "x" * 300}, {}, "api", ""),
        ({"x-session-id": "\n"}, {"metadata": {"user_id": "no json"}}, "api", ""),
    ],
)
def test_a_host_and_its_session_are_what_it_says_of_itself(
    headers: dict[str, str], body: dict[str, Any], host: str, session: str
) -> None:
    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert who(given, beside(json.dumps(body).encode()), NOBODY) == Who(host, session)


def test_what_is_said_beside_the_conversation_is_read_from_any_body() -> None:
    assert beside(b'{"max_tokens": 9, "tools": [1], "previous_response_id": "r"}') == Beside("", "r", True, 9)
    assert beside(b'{"tools": []}') == beside(b"no body") == beside(b'{"max_tokens": "x"}') == Beside()


# --- sessions that have a name ----------------------------------------------------------------------------------------


def test_a_session_has_one_main_conversation_that_goes_on_whatever_is_added_or_taken_back() -> None:
    conversations = made()
    main = find(conversations, CLAUDE, "one")
    assert main.own == ""
    assert find(conversations, CLAUDE, "one", "a", "two") is main
    assert find(conversations, CLAUDE, "one", "a", "another two") is main
    assert find(conversations, CLAUDE, "one with other reminders", "a", "two", "b", "three") is main
    assert find(conversations, Who("claude-code", "s2"), "one") is not main


def test_a_subagent_of_a_session_is_a_conversation_of_its_own() -> None:
    conversations = made()
    main = find(conversations, CLAUDE, "one")
    sub = find(conversations, CLAUDE, "look for x")
    assert sub is not main
    assert (sub.session, sub.id != main.id, sub.own != "") == ("s1", True, True)
    assert find(conversations, CLAUDE, "look for x", "a", "go on") is sub
    assert find(conversations, CLAUDE, "one", "a", "two") is main


def test_what_an_agent_sends_without_tools_is_never_its_main_conversation() -> None:
    conversations = made()
    assert find(conversations, CLAUDE, "is this a new topic?", said=Beside()).own != ""
    assert find(conversations, CLAUDE, "one").own == ""
    assert find(conversations, Who("aider", "s"), "one", said=Beside()).own == ""


def test_the_history_that_a_host_made_short_is_of_the_conversation_that_asked_for_it() -> None:
    conversations = made()
    main = find(conversations, CLAUDE, "one", "a", "two")
    sub = find(conversations, CLAUDE, "look for x", "b", "go on")
    ask = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."
    assert find(conversations, CLAUDE, "look for x", "b", ask) is sub
    short = "This session is being continued from a previous conversation that ran out of context."
    assert find(conversations, CLAUDE, short) is sub
    assert find(conversations, CLAUDE, "one", "a", ask) is main
    assert find(conversations, CLAUDE, short + " More.") is main


# --- those that have none ---------------------------------------------------------------------------------------------


def test_without_a_name_the_conversation_is_the_one_that_this_begins_with() -> None:
    conversations = made()
    one = find(conversations, NOBODY, "one")
    other = find(conversations, NOBODY, "other")
    assert one is not other
    assert find(conversations, NOBODY, "one", "a", "two") is one
    assert find(conversations, NOBODY, "one", "a", "two", "b", "three") is one
    assert find(conversations, NOBODY, "one", "a", "two") is one
    assert find(conversations, NOBODY, "other", "a", "two") is other
    assert find(conversations, Who("pi"), "one") is not one


def test_one_that_takes_another_way_is_new_and_has_the_same_name_after_a_restart() -> None:
    def branched() -> tuple[OpenConversation, OpenConversation]:
        conversations = made()
        return find(conversations, NOBODY, "one", "a", "two"), find(
            conversations, NOBODY, "one", "a", "another two"
        )

    (first, second), (again, other) = branched(), branched()
    assert len({first.id, second.id}) == 2
    assert (first.id, second.id) == (again.id, other.id)


def test_conversations_that_begin_alike_in_two_folders_are_two() -> None:
    assert find(made("/a"), NOBODY, "hi").id != find(made("/b"), NOBODY, "hi").id
    assert find(made("/a"), NOBODY, "hi").id == find(made("/a"), NOBODY, "hi").id


def test_a_run_of_aider_is_a_session_whatever_stands_before_its_conversation() -> None:
    conversations, run = made(), Who("aider", "run-1")
    one = find(conversations, run, "an example", "a", "the files", "b", "do it", said=Beside())
    assert (
        find(
            conversations,
            run,
            "an example",
            "a",
            "do it",
            "done",
            "the files now",
            "b",
            "more",
            said=Beside(),
        )
        is one
    )


def test_an_answer_by_its_id_leads_to_its_conversation() -> None:
    conversations = made()
    one = find(conversations, NOBODY, "one")
    conversations.answered(one, "resp_1")
    assert find(conversations, NOBODY, "two", said=Beside(previous="resp_1")) is one
    empty = RESPONSES.read(b'{"model": "m", "previous_response_id": "unknown"}').conversation
    assert conversations.find(NOBODY, empty, Beside(previous="unknown"), Aside.NONE) is not one


def test_to_look_remembers_nothing() -> None:
    conversations = made()
    looked = conversations.peek(CLAUDE, conversation("one"), TOOLS, Aside.NONE)
    assert find(conversations, CLAUDE, "one") is not looked
    assert conversations.peek(CLAUDE, conversation("one"), TOOLS, Aside.NONE) is find(
        conversations, CLAUDE, "one"
    )


def test_the_ones_used_longest_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    conversations = made()
    one, two = find(conversations, NOBODY, "one"), find(conversations, CLAUDE, "two")
    conversations.answered(one, "resp_1")
    assert find(conversations, NOBODY, "one") is one
    find(conversations, NOBODY, "three")
    assert find(conversations, NOBODY, "one") is one
    assert find(conversations, CLAUDE, "two") is not two
    assert find(conversations, CLAUDE, "two").id == two.id


def test_what_is_remembered_is_bounded_in_bytes_the_one_used_longest_ago_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 40_000)
    conversations = made()
    first = [
        find(conversations, Who("api", f"s{number}"), "w" * 1_000, "x", "y" * 1_000) for number in range(20)
    ]
    assert len(conversations.states()) < 10
    assert sum(talk.measured() for talk in first if talk.size) <= 40_000
    assert find(conversations, Who("api", "s19"), "w" * 1_000, "x", "y" * 1_000) is first[19]
    assert find(conversations, Who("api", "s0"), "w" * 1_000, "x", "y" * 1_000) is not first[0]
    alone = find(conversations, Who("api", "long"), "z" * 100_000)
    assert conversations.states() == [alone.live.state]


def test_a_conversation_keeps_keys_of_its_present_history_however_long_it_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LEAST_KEYS", 8)
    conversations = made()
    for number in range(50):
        texts = ["begin", "x", f"question {number}"]
        talk = find(conversations, CLAUDE, *texts)
        keys = conversation(*texts).keys
        talk.live.told(keys)
        assert talk.live.durable.issuperset(keys)
        assert len(talk.live.durable) <= 11


def test_a_conversation_of_which_something_is_filed_is_not_the_first_to_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST", 2)

    async def check() -> None:
        conversations = made()
        busy = find(conversations, Who("api", "a"), "a")
        async with busy.filing:
            for name in "bcd":
                find(conversations, Who("api", name), name)
            assert find(conversations, Who("api", "a"), "a") is busy
        for name in "bcd":
            find(conversations, Who("api", name), name)
        assert find(conversations, Who("api", "a"), "a") is not busy

    asyncio.run(check())
