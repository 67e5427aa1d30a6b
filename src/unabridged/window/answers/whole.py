"""An answer that came whole, in the words in which a program has it: nothing is left out or put in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from unabridged.window.answers.contract import Answer
from unabridged.window.providers.adapters import CHAT_FORMAT, MESSAGES_FORMAT, RESPONSES_FORMAT


def answer_of(form: str, answer: Mapping[str, Any]) -> Answer:
    """Return what a whole answer says; nothing of one that is no answer of the format."""
    found = tuple(item for item in _ITEMS[form](answer) if item)
    identity, counted = answer.get("id"), answer.get("usage")
    usage = msgspec.json.encode(counted) if isinstance(counted, Mapping) else b""
    return Answer(found, identity if isinstance(identity, str) else "", usage)


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
