"""Messages of Chat Completions: built from a stream as they are sent again, and told apart in a history.

An answer is one text with calls. What was said before a call of ours and behind its result are one text at the client,
with an empty line between.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from unabridged.gateway.offered.anthropicblocks import is_json
from unabridged.gateway.offered.contract import Heard, ToolCall
from unabridged.gateway.offered.rounds import DIGEST, Place, Placed
from unabridged.gateway.offered.tally import Tally
from unabridged.gateway.offered.tools import OURS
from unabridged.window.answers.contract import inner, texts
from unabridged.window.answers.growing import Growing
from unabridged.window.providers.splice import encoded
from unabridged.window.providers.usage import Usage

SEPARATOR = "\n\n"
# Members of a message in which reasoning stands beside its text, by provider.
BESIDE = ("reasoning_content", "reasoning", "reasoning_details")


def place_of(seed: str, text: str) -> Place:
    """Return the place behind so much text of an answer."""
    said = seed.encode() + b"\0" + text.encode("utf-8", "surrogatepass")
    return Place(sha256(said).digest()[:DIGEST], len(text))


class Said(Tally):
    """What the model says in its answers to one request."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        super().__init__()
        self.seed = seed
        self._clear()

    def _clear(self) -> None:
        self._text = list[str]()
        self._beside = Growing()
        self._calls = dict[int, Growing]()
        self._ours = set[int]()
        self.usage = Usage()

    @property
    def asked(self) -> bool:
        """Whether there are calls of ours in this answer of the provider."""
        return bool(self._ours)

    def apart(self, *, shown: bool) -> bool:
        """Tell whether what is said next is set off from what the client has, if it has something."""
        return bool(self.rounds and shown and not self._text)

    def add(self, text: str) -> None:
        """Take a piece of the text."""
        self._text.append(text)

    def add_beside(self, name: str, value: object) -> None:
        """Take a piece of a member beside the text: texts and lists add up."""
        if isinstance(value, str | list) and value:
            self._beside.add(name, value)

    def call(self, index: int, piece: dict[str, Any]) -> bool:
        """Take a piece of a call; tell whether the call is ours."""
        function = inner(piece, "function")
        known = self._calls.setdefault(index, Growing())
        for name, value in piece.items():
            if name == "function" and value is not None:
                known.inner(name, Growing()).take(function)
            elif name != "index":
                known.put(name, value)
        if function.get("name") in OURS:
            self._ours.add(index)
        return index in self._ours

    def half(self) -> bool:
        """Tell whether a call of the client's has not all of its arguments."""
        theirs = (self._calls[index].value() for index in self._calls.keys() - self._ours)
        return any(not is_json(_arguments(call)) for call in theirs)

    def heard(self, end: Place, *, complete: bool) -> Heard:
        """Return what this answer of the provider came to, given the place behind the text that the client has."""
        calls, asked, listed = list[Placed](), list[ToolCall](), list[dict[str, Any]]()
        theirs = 0
        for index in sorted(self._calls):
            call = self._calls[index].value()
            listed.append(call)
            if index not in self._ours:
                theirs += 1
                continue
            calls.append(Placed(end, encoded(call), theirs))
            asked.append(ToolCall(str(call.get("id", "")), call["function"]["name"], _arguments(call)))
        beside = self._beside.value()
        said: dict[str, Any] = {"role": "assistant", "content": "".join(self._text) or None, **beside}
        if listed:
            said["tool_calls"] = listed
        found = Heard(
            tuple(asked),
            tuple(calls),
            (encoded(said),),
            mixed=theirs > 0,
            complete=complete,
            end=end,
            beside=encoded(beside) if beside and asked else b"",
            usage=self.usage,
        )
        self._clear()
        return self.take(found)


def _arguments(call: dict[str, Any]) -> bytes:
    return (texts(inner(call, "function"), "arguments") or "{}").encode("utf-8", "surrogatepass")


class Message(msgspec.Struct):
    """A message of the history, as far as it is looked at."""

    role: str = ""
    content: str | list[Any] | None = None
    tool_calls: list[msgspec.Raw] | None = None
