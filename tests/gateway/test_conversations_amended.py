"""A client that puts words behind its newest message only, and takes them away in the next request, has one history."""

from __future__ import annotations

import json
from typing import Any

from unabridged.gateway.conversations import OpenConversation, OpenConversations
from unabridged.gateway.identity import AIDER, Beside, Who
from unabridged.window.providers.adapters import CHAT
from unabridged.window.providers.known import Known
from unabridged.window.providers.sidecalls import Aside

SYSTEM = {"role": "system", "content": "Be brief."}
REMINDER = "\n\nReply in English."


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def found(conversations: OpenConversations, *messages: dict[str, Any]) -> OpenConversation:
    """The conversation that a request is of."""
    body = json.dumps({"model": "m", "messages": [SYSTEM, *messages]}).encode()
    return conversations.find(Who(AIDER), CHAT.read(body).conversation, Beside(), Aside.NONE)


def test_words_behind_the_newest_message_do_not_begin_another_conversation() -> None:
    conversations = OpenConversations(Known(1 << 20))
    first = found(conversations, user(f"One?{REMINDER}"))
    second = found(conversations, user("One?"), answer("1."), user(f"Two?{REMINDER}"))
    third = found(
        conversations, user("One?"), answer("1."), user("Two?"), answer("2."), user(f"Three?{REMINDER}")
    )
    assert first is second is third
    assert len(third.line) == 6


def test_another_message_in_its_place_does() -> None:
    conversations = OpenConversations(Known(1 << 20))
    first = found(conversations, user("One?"), answer("1."), user("Two?"))
    other = found(conversations, user("One?"), answer("1."), user("Three?"), answer("3."), user("Four?"))
    assert other is not first
    assert (
        found(conversations, user("One?"), answer("1."), user("Two?"), answer("2."), user("More?")) is first
    )


def test_nothing_in_its_place_is_no_sign() -> None:
    conversations = OpenConversations(Known(1 << 20))
    first = found(conversations, user("One?"), answer("1."), user("Two?"))
    assert found(conversations, user("One?"), answer("1."), user(" "), answer("?"), user("Two?")) is not first
