"""Offered tools in Chat Completions, not streamed: one message of all answers but our calls."""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.gateway.offered.chat import CALLS, STOP, usage_told
from unabridged.gateway.offered.chatmessages import BESIDE, SEPARATOR, Said, place_of
from unabridged.gateway.offered.contract import SAID, Heard
from unabridged.window.providers.splice import FAILURES, encoded
from unabridged.window.providers.usage import usage

_decoder = msgspec.json.Decoder(dict[str, Any])


class Whole:
    """An answer as one JSON object."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._said = Said(seed)
        self._body = b""
        self._text = ""
        self._calls = list[Any]()
        self._ident: Any = None

    def feed(self, data: bytes) -> bytes:
        """Take bytes; the client gets nothing before the end."""
        self._body += data
        return b""

    def resume(self) -> None:
        """Go on with another answer."""
        self._body = b""

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
            self._text += (SEPARATOR if self._said.apart(self._text) else "") + text
            self._said.add(text)
        for name in BESIDE:
            self._said.add_beside(name, message.get(name))
        for index, call in enumerate(message.get("tool_calls") or ()):
            if not self._said.call(index, call):
                self._calls.append(call)

    def finish(self) -> bytes:
        """Return the answer that the client gets; the provider's own bytes where ours had no part in it."""
        last = self._said.last
        if not self._said.rounds or (self._said.rounds == 1 and not last.asked):
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

    def failed(self, error: bytes) -> bytes:
        """Return nothing: an answer that is not streamed cannot say in its middle that it failed."""
        del error
        return b""
