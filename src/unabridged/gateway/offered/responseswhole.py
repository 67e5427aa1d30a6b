"""Offered tools in OpenAI Responses, not streamed: one response with the items of all answers but ours."""

from __future__ import annotations

import json

from unabridged.gateway.offered import answer
from unabridged.gateway.offered.answer import FAILED
from unabridged.gateway.offered.contract import SAID, Heard
from unabridged.gateway.offered.responseitems import without_ours
from unabridged.gateway.offered.responses import CALLS, Items, message, said
from unabridged.gateway.offered.tools import OURS
from unabridged.window.answers.contract import Json, objects
from unabridged.window.providers.splice import NotUnderstood, elements, members, text
from unabridged.window.providers.usage import Usage, usage


class Whole(answer.Whole):
    """An answer as one JSON response."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._items = Items(seed)
        super().__init__(self._items)
        self._ident = b""

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
        used = usage(bytes(outer.get("usage", b"{}"))) or Usage()
        return self._items.heard(raws, said, used, complete=complete)

    def finish(self) -> bytes:
        """Return the response that the client gets; the provider's own bytes where ours had no part in it."""
        if self._items.own:
            return without_ours(self._body)
        if self._items.cut and not self._items.shown:
            self._items.shown.append(message(SAID))
        return self._items.told(self._body, self._ident)

    def _without_ours(self, value: Json) -> bool:
        kept = self._kept(objects(value, "output"), self._items.shown)
        if kept is None:
            return False
        calls = any(one.get("type") in CALLS for one in kept)
        value["output"] = kept if calls else [*kept, json.loads(message(FAILED))]
        value["status"] = "completed"
        if isinstance(value.get("tools"), list):  # those of the request
            value["tools"] = [one for one in objects(value, "tools") if one.get("name") not in OURS]
        return True
