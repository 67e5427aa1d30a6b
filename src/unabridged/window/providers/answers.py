"""What a provider answered, as the items that a client sends back with its next request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter
from unabridged.window.providers.usage import Usage, usage

MESSAGES_FORMAT, RESPONSES_FORMAT, CHAT_FORMAT = "messages", "responses", "chat"
ADAPTERS: Mapping[str, Adapter] = {
    MESSAGES_FORMAT: ANTHROPIC,
    RESPONSES_FORMAT: RESPONSES,
    CHAT_FORMAT: CHAT,
}
# What each format calls the list of a request's items.
LISTS: Mapping[str, str] = {MESSAGES_FORMAT: "messages", RESPONSES_FORMAT: "input", CHAT_FORMAT: "messages"}


class Answered(msgspec.Struct, frozen=True):
    """An answer's items in the form of a request, the provider's id of it, and what it cost (None: not told)."""

    items: tuple[Mapping[str, Any], ...] = ()
    message: str = ""
    usage: Usage | None = None


def answer_of(form: str, answer: Mapping[str, Any]) -> Answered:
    """Return what a whole answer says; nothing of one that is no answer of the format."""
    found = tuple(item for item in _ITEMS[form](answer) if item)
    identity = answer.get("id")
    return Answered(found, identity if isinstance(identity, str) else "", usage_of(answer))


def usage_of(answer: Mapping[str, Any]) -> Usage | None:
    """Return what an answer says that it cost."""
    counted = answer.get("usage")
    return usage(msgspec.json.encode(counted)) if isinstance(counted, Mapping) else None


def _message(answer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = answer.get("content")
    return [{"role": "assistant", "content": content}] if isinstance(content, list) and content else []


def _choice(answer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        return []
    first = cast("Sequence[object]", choices)[0]
    message = _mapping(_mapping(first).get("message"))
    return [message] if message.get("role") else []


def _output(answer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    output = answer.get("output")
    return [_mapping(item) for item in cast("list[object]", output)] if isinstance(output, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


_ITEMS = {MESSAGES_FORMAT: _message, CHAT_FORMAT: _choice, RESPONSES_FORMAT: _output}
