"""Answers of OpenAI Chat Completions and of the many servers that speak it: the first choice's message."""

from __future__ import annotations

from typing import Any

from unabridged.window.answers.contract import Answer, Json, compact, inner, objects, texts

# Members of a message that come in pieces.
TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
ROLE = "assistant"


class ChatAnswer:
    """Puts one message together."""

    def __init__(self) -> None:
        """Begin without anything."""
        self._texts = dict[str, list[str]]()
        self._calls = dict[int, Growing]()
        self._other = Growing()
        self._message, self._error = "", ""
        self._usage: Json = {}
        self._ended = False
        self._said = False

    def event(self, data: Json) -> None:
        """Take one chunk."""
        self._about(data)
        for choice in objects(data, "choices"):
            if choice.get("index") not in (None, 0):
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
        message |= said | self._other.value()
        if self._calls:
            message["tool_calls"] = [self._calls[at].value() for at in sorted(self._calls)]
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
            if value is None:  # some servers name every member in every chunk
                continue
            if name in TEXTS:
                if isinstance(value, str):
                    self._texts.setdefault(name, []).append(value)
            elif name == "tool_calls":
                for call in objects(delta, name):
                    self._call(call)
            elif name == "function_call":
                self._other.inner(name, Growing(name="", arguments="")).take(inner(delta, name))
            elif name != "role":
                self._other.add(name, value)

    def _call(self, call: Json) -> None:
        at = call.get("index")
        known = self._calls.setdefault(at if isinstance(at, int) else 0, Growing())
        for name, value in call.items():
            if name in ("function", "custom") and value is not None:
                known.inner(name, Growing()).take(inner(call, name))
            elif name != "index":
                known.put(name, value)


class Growing:
    """An object that comes in pieces, each of them looked at once; its members in the order in which they came."""

    def __init__(self, **members: str) -> None:
        """Begin with some members."""
        self._values: Json = {}
        self._pieces = dict[str, list[Any]]()
        for name, value in members.items():
            self.add(name, value)

    def inner(self, name: str, begun: Growing) -> Growing:
        """Return a member that comes in pieces itself, `begun` where there was none."""
        known = self._values.get(name)
        if not isinstance(known, Growing):
            known = self._values[name] = begun
        return known

    def take(self, given: Json) -> None:
        """Take pieces of what a call is given; other values take the place of the ones before."""
        for name, value in given.items():
            if name in ("arguments", "input") and isinstance(value, str):
                self.add(name, value)
            else:
                self.put(name, value)

    def add(self, name: str, value: Any) -> None:
        """Take more of a member: texts and details come in pieces, other values whole."""
        before = self._values.get(name)
        joins = isinstance(value, str) or (name == "reasoning_details" and isinstance(value, list))
        if joins and type(before) is type(value):  # pyright: ignore[reportUnknownArgumentType]
            self._pieces.setdefault(name, [before]).append(value)
        else:
            self._pieces.pop(name, None)
            self._values[name] = value

    def put(self, name: str, value: Any) -> None:
        """Take a member whole; some servers repeat an id and a name as an empty text."""
        if value is not None and not (value == "" and name in self._values):
            self._pieces.pop(name, None)
            self._values[name] = value

    def value(self) -> Json:
        """Return the object as far as it came."""
        return {name: self._joined(name, value) for name, value in self._values.items()}

    def _joined(self, name: str, value: Any) -> Any:
        if isinstance(value, Growing):
            return value.value()
        pieces = self._pieces.get(name)
        if pieces is None:
            return value
        return "".join(pieces) if isinstance(value, str) else [one for piece in pieces for one in piece]


def _numbered(calls: list[Json]) -> list[Json]:
    return [{**call, "index": at} for at, call in enumerate(calls)]
