"""Answers of OpenAI Chat Completions and of the many servers that speak it: the first choice's message."""

from __future__ import annotations

from typing import Any, cast

from unabridged.window.answers.contract import Answer, Json, compact, inner, objects, texts

# Members of a message that come in pieces.
TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
ROLE = "assistant"


class ChatAnswer:
    """Puts one message together."""

    def __init__(self) -> None:
        """Begin without anything."""
        self._texts = dict[str, list[str]]()
        self._calls = dict[int, Json]()
        self._other: Json = {}
        self._message, self._error = "", ""
        self._usage: Json = {}
        self._ended = False
        self._said = False

    def event(self, data: Json) -> None:
        """Take one chunk."""
        self._about(data)
        for choice in objects(data, "choices"):
            if choice.get("index", 0) != 0:
                continue
            self._delta(inner(choice, "delta"))
            self._ended = self._ended or choice.get("finish_reason") is not None

    def whole(self, data: Json) -> None:
        """Take a completion that was not streamed."""
        self._about(data)
        choices = objects(data, "choices")
        self._ended = True
        if choices:
            message = inner(choices[0], "message")
            self._delta({**message, "tool_calls": _numbered(objects(message, "tool_calls"))})

    def answer(self) -> Answer:
        """Return the message as one item."""
        said = {name: "".join(pieces) for name, pieces in self._texts.items()}
        content = said.pop("content", None)
        message: Json = {"role": ROLE}
        if content is not None or self._calls:
            message["content"] = content
        message |= said | self._other
        if self._calls:
            message["tool_calls"] = [self._calls[at] for at in sorted(self._calls)]
        items = (message,) if self._said else ()
        usage = compact(self._usage) if self._usage else b""
        return Answer(items, self._message, usage, not self._ended, self._error)

    def _about(self, data: Json) -> None:
        self._message = texts(data, "id") or self._message
        self._usage = inner(data, "usage") or self._usage
        error = inner(data, "error")
        if error:
            self._error = texts(error, "code") or texts(error, "type") or "error"

    def _delta(self, delta: Json) -> None:
        self._said = self._said or any(value is not None for value in delta.values())
        for name, value in delta.items():
            if name in TEXTS:
                if isinstance(value, str):
                    self._texts.setdefault(name, []).append(value)
            elif name == "tool_calls":
                for call in objects(delta, name):
                    self._call(call)
            elif name == "function_call":
                given = self._other.setdefault(name, {"name": "", "arguments": ""})
                _joined(given, inner(delta, name))
            elif name != "role" and value is not None:
                self._other[name] = _grown(name, self._other.get(name), value)

    def _call(self, call: Json) -> None:
        at = call.get("index", 0)
        known = self._calls.setdefault(at if isinstance(at, int) else 0, {})
        for name, value in call.items():
            if name in ("function", "custom"):
                _joined(known.setdefault(name, {}), inner(call, name))
            elif name != "index" and _told(known, name, value):
                known[name] = value


def _grown(name: str, before: Any, value: Any) -> Any:
    """Return a member of a message of which more came: texts and details come in pieces, other values whole."""
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    if name == "reasoning_details" and isinstance(before, list) and isinstance(value, list):
        return [*cast("list[Any]", before), *cast("list[Any]", value)]
    return value


def _joined(known: Json, given: Json) -> None:
    """Add pieces of texts to what is known; other values take the place of the ones before."""
    for name, value in given.items():
        before: Any = known.get(name)
        if name in ("arguments", "input") and isinstance(value, str) and isinstance(before, str):
            known[name] = before + value
        elif _told(known, name, value):
            known[name] = value


def _told(known: Json, name: str, value: object) -> bool:
    """Tell whether a member says something: some servers repeat an id and a name as an empty text."""
    return value is not None and not (value == "" and name in known)


def _numbered(calls: list[Json]) -> list[Json]:
    return [{**call, "index": at} for at, call in enumerate(calls)]
