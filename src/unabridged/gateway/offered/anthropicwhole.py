"""Offered tools in Anthropic Messages, not streamed: one message of the blocks of all answers but ours."""

from __future__ import annotations

from unabridged.gateway.offered import answer
from unabridged.gateway.offered.answer import FAILED
from unabridged.gateway.offered.anthropic import CALLS, TOOL_USE, TURN_END, piece, said, usage_told
from unabridged.gateway.offered.contract import SAID, Heard
from unabridged.gateway.offered.tally import Pieces, is_object
from unabridged.window.answers.contract import Json, objects
from unabridged.window.providers.splice import (
    NotUnderstood,
    elements,
    encoded,
    member_spans,
    members,
    replaced,
    text,
)
from unabridged.window.providers.usage import Usage, usage


class Whole(answer.Whole):
    """An answer as one JSON message."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._blocks = Pieces(seed, piece)
        super().__init__(self._blocks)

    def heard(self) -> Heard:
        """Return what this answer of the provider came to."""
        try:
            outer = members(self._body)
            raws = [bytes(block) for block in elements(outer["content"])]
            stop = text(outer["stop_reason"])
        except (NotUnderstood, KeyError):
            self._tally.last = Heard()
            return self._tally.last
        used = usage(bytes(outer.get("usage", b"{}"))) or Usage()
        return self._blocks.heard(raws, said, used, complete=stop == CALLS)

    def finish(self) -> bytes:
        """Return the message that the client gets; the provider's own bytes where ours had no part in it."""
        body, last = self._body, self._tally.last
        spans = {} if self._tally.own else member_spans(body)
        if "content" not in spans:
            return body
        shown = list(self._blocks.shown)
        if self._tally.cut and not shown:
            shown.append(encoded({"type": "text", "text": SAID}))
        changes = [(spans["content"], b"[" + b",".join(shown) + b"]")]
        raw = body[slice(*spans["usage"])] if "usage" in spans else b""
        if is_object(raw):
            changes.append((spans["usage"], usage_told(raw, last.usage, self._tally.before)))
        if self._tally.cut and last.complete:
            changes.append((spans["stop_reason"], encoded(TURN_END)))
        return replaced(body, changes)

    def _without_ours(self, value: Json) -> bool:
        kept = self._kept(objects(value, "content"), self._blocks.shown)
        if kept is None:
            return False
        calls = any(one.get("type") == TOOL_USE for one in kept)
        value["content"] = kept if calls else [*kept, {"type": "text", "text": FAILED}]
        value["stop_reason"] = CALLS if calls else TURN_END
        return True
