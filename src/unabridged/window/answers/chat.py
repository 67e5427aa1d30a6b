"""Answers of OpenAI Chat Completions and of the many servers that speak it: the first choice's message."""

from __future__ import annotations

from unabridged.window.answers.contract import Answer, Json, compact, inner, objects, texts
from unabridged.window.answers.growing import Growing

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


def _numbered(calls: list[Json]) -> list[Json]:
    return [{**call, "index": at} for at, call in enumerate(calls)]
