"""An answer put together from the events of its stream, however far it came.

Each format has its events: Anthropic's blocks grow by deltas, Chat's message by chunks, and Responses gives each item
whole, and the whole answer at its end. Events of an unknown type are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

import msgspec

from unabridged.window.providers.answers import CHAT_FORMAT, MESSAGES_FORMAT, RESPONSES_FORMAT

Event = Mapping[str, Any]
Object = dict[str, Any]

# Of Anthropic's deltas: which member of the block grows by which member of the delta.
_GROWS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "compaction_delta": ("content", "content"),
}


class Growing(Protocol):
    """An answer that arrives."""

    def take(self, event: Event) -> None:
        """Take the next event of the stream."""
        ...

    def answer(self) -> Object:
        """Return the answer as far as it came, in the form of one that did not stream."""
        ...


def growing(form: str) -> Growing:
    """Return the beginning of an answer of a format."""
    return _STARTS[form]()


class MessageStream:
    """Anthropic Messages."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._message: Object = {}
        self._blocks: dict[int, Object] = {}
        self._json: dict[int, list[str]] = {}

    def take(self, event: Event) -> None:
        """Take an event."""
        kind = event.get("type")
        if kind == "message_start":
            self._message = dict(_object(event.get("message")))
        elif kind == "content_block_start":
            self._blocks[_index(event)] = dict(_object(event.get("content_block")))
        elif kind == "content_block_delta":
            self._grow(_index(event), _object(event.get("delta")))
        elif kind == "message_delta":
            self._message.update(_object(event.get("delta")))
            counted = {**_object(self._message.get("usage")), **_told(_object(event.get("usage")))}
            self._message["usage"] = counted

    def answer(self) -> Object:
        """Return the message so far."""
        blocks = list[Object]()
        for index in sorted(self._blocks):
            block = dict(self._blocks[index])
            if index in self._json:
                block["input"] = _arguments("".join(self._json[index]))
            blocks.append(block)
        return {**self._message, "content": blocks}

    def _grow(self, index: int, delta: Event) -> None:
        block, kind = self._blocks.setdefault(index, {}), str(delta.get("type", ""))
        if kind == "input_json_delta":
            self._json.setdefault(index, []).append(str(delta.get("partial_json", "")))
        elif kind == "citations_delta":
            block["citations"] = [*_list(block.get("citations")), delta.get("citation")]
        elif kind in _GROWS:
            name, source = _GROWS[kind]
            block[name] = str(block.get(name) or "") + str(delta.get(source) or "")


class ChatStream:
    """OpenAI Chat Completions; of several choices the first."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._head: Object = {}
        self._message: Object = {}
        self._calls: dict[int, Object] = {}

    def take(self, event: Event) -> None:
        """Take a chunk."""
        for name in ("id", "model"):
            if event.get(name):
                self._head[name] = event[name]
        if event.get("usage"):
            self._head["usage"] = event["usage"]
        for choice in map(_object, _list(event.get("choices"))):
            if choice.get("index", 0) == 0:
                self._delta(_object(choice.get("delta")))

    def answer(self) -> Object:
        """Return the completion so far."""
        message = dict(self._message)
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
            message.setdefault("content", None)
        if message:
            message.setdefault("role", "assistant")
        return {**self._head, "choices": [{"index": 0, "message": message}]}

    def _delta(self, delta: Event) -> None:
        for name, value in delta.items():
            if name == "tool_calls":
                for call in map(_object, _list(value)):
                    self._call(call)
            elif name == "role":
                self._message["role"] = value or "assistant"
            elif isinstance(value, str) and isinstance(self._message.get(name, ""), str):
                self._message[name] = str(self._message.get(name) or "") + value

    def _call(self, call: Event) -> None:
        found = self._calls.setdefault(_index(call), {})
        for name in ("id", "type"):
            if call.get(name):
                found[name] = call[name]
        for name in ("function", "custom"):
            if call.get(name):
                inner: Object = found.setdefault(name, {})
                for member, value in _object(call[name]).items():
                    if value is not None:
                        inner[member] = str(inner.get(member, "")) + str(value)


class ResponseStream:
    """OpenAI Responses."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._response: Object = {}
        self._items: dict[int, Object] = {}

    def take(self, event: Event) -> None:
        """Take an event."""
        response = _object(event.get("response"))
        if response:
            self._response = dict(response)
        elif event.get("type") == "response.output_item.done":
            self._items[_index(event, "output_index")] = dict(_object(event.get("item")))

    def answer(self) -> Object:
        """Return the response so far."""
        output = self._response.get("output") or [self._items[index] for index in sorted(self._items)]
        return {**self._response, "output": output}


def _object(value: object) -> Object:
    return cast("Object", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _index(event: Event, name: str = "index") -> int:
    index = event.get(name, 0)
    return index if isinstance(index, int) else 0


def _told(counted: Event) -> Object:
    """Return the members of a usage object that say something: later events repeat some as null."""
    return {name: value for name, value in counted.items() if value is not None}


def _arguments(text: str) -> Any:
    """Return a call's arguments; what broke off is kept as the text that came."""
    if not text:
        return {}
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {"partial_json": text}


_STARTS = {MESSAGES_FORMAT: MessageStream, CHAT_FORMAT: ChatStream, RESPONSES_FORMAT: ResponseStream}
