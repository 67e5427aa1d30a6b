"""Offered tools in Chat Completions, not streamed: one message of all answers but our calls."""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.gateway.offered import answer
from unabridged.gateway.offered.answer import FAILED
from unabridged.gateway.offered.chat import CALLS, STOP, usage_told
from unabridged.gateway.offered.chatmessages import BESIDE, SEPARATOR, Said, place_of
from unabridged.gateway.offered.contract import SAID, Heard
from unabridged.gateway.offered.tools import OURS
from unabridged.window.answers.contract import Json, inner, objects, texts
from unabridged.window.providers.splice import FAILURES, encoded
from unabridged.window.providers.usage import usage

_decoder = msgspec.json.Decoder(dict[str, Any])


class Whole(answer.Whole):
    """An answer as one JSON object."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._said = Said(seed)
        super().__init__(self._said)
        self._text = ""
        self._calls = list[Any]()
        self._ident: Any = None

    def heard(self) -> Heard:
        """Return what this answer of the provider came to."""
        try:
            outer = _decoder.decode(self._body)
            choice: dict[str, Any] = outer["choices"][0]
            message: dict[str, Any] = choice["message"]
            self._take(message)
        except (*FAILURES, KeyError, IndexError, TypeError, AttributeError):
            self._said.last = Heard()
            return self._said.last
        self._ident = self._ident or outer.get("id")
        self._said.usage = usage(encoded(outer.get("usage") or {})) or self._said.usage
        complete = choice.get("finish_reason") in (CALLS, STOP)
        return self._said.heard(place_of(self._said.seed, self._text), complete=complete)

    def _take(self, message: dict[str, Any]) -> None:
        text = message.get("content")
        if isinstance(text, str) and text:
            self._text += (SEPARATOR if self._said.apart(shown=bool(self._text)) else "") + text
            self._said.add(text)
        for name in BESIDE:
            self._said.add_beside(name, message.get(name))
        for index, call in enumerate(message.get("tool_calls") or ()):
            if not self._said.call(index, call):
                self._calls.append(call)

    def finish(self) -> bytes:
        """Return the answer that the client gets; the provider's own bytes where ours had no part in it."""
        last = self._said.last
        if self._said.own:
            return self._body
        outer = _decoder.decode(self._body)
        choice = outer["choices"][0]
        message = choice["message"]
        message["content"] = self._text or None
        message.pop("tool_calls", None)
        if self._calls:
            message["tool_calls"] = self._calls
        elif choice.get("finish_reason") == CALLS:
            choice["finish_reason"] = STOP
            message["content"] = self._text or SAID
        if isinstance(outer.get("usage"), dict):
            outer["usage"] = usage_told(outer["usage"], last.usage, self._said.before)
        if self._ident is not None:
            outer["id"] = self._ident
        return encoded(outer)

    def _without_ours(self, value: Json) -> bool:
        choice = next(iter(objects(value, "choices")), dict[str, Any]())
        message = inner(choice, "message")
        calls = objects(message, "tool_calls")
        kept = [call for call in calls if inner(call, "function").get("name") not in OURS]
        if len(kept) == len(calls) and not self._said.rounds:
            return False
        said = self._text or texts(message, "content")
        message.pop("tool_calls", None)
        message |= {"tool_calls": kept} if kept else {}
        message["content"] = said if kept else SEPARATOR.join(one for one in (said, FAILED) if one)
        choice["finish_reason"] = CALLS if kept else STOP
        return True
