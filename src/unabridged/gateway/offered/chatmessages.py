"""Messages of Chat Completions: built from a stream as they are sent again, and told apart in a history.

An answer is one text with calls. What was said before a call of ours and behind its result are one text at the client,
with an empty line between.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from unabridged.gateway.offered.contract import Asked, Heard
from unabridged.gateway.offered.rounds import DIGEST, Place, Placed
from unabridged.gateway.offered.tools import OURS
from unabridged.window.providers.splice import encoded
from unabridged.window.providers.usage import Usage

SEPARATOR = "\n\n"
# Members of a message in which reasoning stands beside its text, by provider.
BESIDE = ("reasoning_content", "reasoning", "reasoning_details")


def place_of(seed: str, text: str) -> Place:
    """Return the place behind so much text of an answer."""
    said = seed.encode() + b"\0" + text.encode("utf-8", "surrogatepass")
    return Place(sha256(said).digest()[:DIGEST], len(text))


class Said:
    """What the model says in its answers to one request."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self.seed = seed
        self.rounds = self.before = self._output = 0
        self.last = Heard()
        self._clear()

    def _clear(self) -> None:
        self._text = ""
        self._beside = dict[str, Any]()
        self._calls = dict[int, dict[str, Any]]()
        self._ours = set[int]()
        self.usage = Usage()

    @property
    def asked(self) -> bool:
        """Whether there are calls of ours in this answer of the provider."""
        return bool(self._ours)

    def apart(self, shown: str) -> bool:
        """Tell whether what is said next is set off from what the client has."""
        return bool(self.rounds and shown and not self._text)

    def add(self, text: str) -> None:
        """Take a piece of the text."""
        self._text += text

    def add_beside(self, name: str, value: object) -> None:
        """Take a piece of a member beside the text: texts and lists add up."""
        if isinstance(value, str) and value:
            self._beside[name] = str(self._beside.get(name) or "") + value
        elif isinstance(value, list) and value:
            known: list[object] = list(self._beside.get(name) or ())
            self._beside[name] = [*known, *value]  # pyright: ignore[reportUnknownArgumentType]

    def call(self, index: int, piece: dict[str, Any]) -> bool:
        """Take a piece of a call; tell whether the call is ours."""
        known = self._calls.get(index)
        function: dict[str, Any] = piece.get("function") or {}
        if known is None:
            known = self._calls[index] = {**piece, "function": {**function}}
            known.pop("index", None)
            if function.get("name") in OURS:
                self._ours.add(index)
        else:
            said = str(known["function"].get("arguments") or "") + str(function.get("arguments") or "")
            known["function"]["arguments"] = said
        return index in self._ours

    def heard(self, end: Place, *, complete: bool) -> Heard:
        """Return what this answer of the provider came to, given the place behind the text that the client has."""
        calls, asked = list[Placed](), list[Asked]()
        theirs = 0
        for index in sorted(self._calls):
            call = self._calls[index]
            if index not in self._ours:
                theirs += 1
                continue
            arguments = str(call["function"].get("arguments") or "{}")
            calls.append(Placed(end, encoded(call), theirs))
            name = call["function"]["name"]
            asked.append(Asked(str(call.get("id", "")), name, arguments.encode("utf-8", "surrogatepass")))
        said: dict[str, Any] = {"role": "assistant", "content": self._text or None, **self._beside}
        if self._calls:
            said["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        self.before = self._output
        self._output += self.usage.output
        self.rounds += 1
        beside = encoded(self._beside) if self._beside and asked else b""
        self.last = Heard(
            tuple(asked),
            tuple(calls),
            (encoded(said),),
            mixed=theirs > 0,
            complete=complete,
            end=end,
            beside=beside,
            usage=self.usage,
        )
        self._clear()
        return self.last


class Message(msgspec.Struct):
    """A message of the history, as far as it is looked at."""

    role: str = ""
    content: str | list[Any] | None = None
    tool_calls: list[msgspec.Raw] | None = None
