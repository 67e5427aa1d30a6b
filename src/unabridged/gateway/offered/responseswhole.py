"""Offered tools in OpenAI Responses, not streamed: one response with the items of all answers but ours."""

from __future__ import annotations

from unabridged.gateway.offered.contract import SAID, Heard
from unabridged.gateway.offered.responseitems import without_ours
from unabridged.gateway.offered.responses import Items, message
from unabridged.window.providers.splice import NotUnderstood, elements, members, text
from unabridged.window.providers.usage import Usage, usage


class Whole:
    """An answer as one JSON response."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._items = Items(seed)
        self._body = self._ident = b""

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
            outer = members(self._body)
            raws = [bytes(item) for item in elements(outer["output"])]
            complete = text(outer["status"]) == "completed"
        except (NotUnderstood, KeyError):
            self._items.last = Heard()
            return self._items.last
        self._ident = self._ident or bytes(outer.get("id", b""))
        told = usage(bytes(outer.get("usage", b"{}"))) or Usage()
        return self._items.heard(raws, told, complete=complete)

    def finish(self) -> bytes:
        """Return the response that the client gets; the provider's own bytes where ours had no part in it."""
        last = self._items.last
        if not self._items.rounds or (self._items.rounds == 1 and not last.asked):
            return without_ours(self._body)
        if last.asked and not last.mixed and not self._items.shown:
            self._items.shown.append(message(SAID))
        return self._items.told(self._body, self._ident)

    def failed(self, error: bytes) -> bytes:
        """Return nothing: an answer that is not streamed cannot say in its middle that it failed."""
        del error
        return b""
