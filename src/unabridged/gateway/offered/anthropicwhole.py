"""Offered tools in Anthropic Messages, not streamed: one message of the blocks of all answers but ours."""

from __future__ import annotations

from unabridged.gateway.offered.anthropic import CALLS, TURN_END, is_object, usage_told
from unabridged.gateway.offered.anthropicblocks import heads, identity
from unabridged.gateway.offered.contract import SAID, Asked, Heard
from unabridged.gateway.offered.rounds import Chain, Placed
from unabridged.gateway.offered.tools import OURS
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


class Whole:
    """An answer as one JSON message."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._chain = Chain(seed)
        self._body = b""
        self._shown = list[bytes]()
        self._output = self._before = self._rounds = 0
        self._last = Heard()

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
            raws = [bytes(block) for block in elements(outer["content"])]
            stop = text(outer["stop_reason"])
        except (NotUnderstood, KeyError):
            self._last = Heard()
            return self._last
        calls, asked, mixed = list[Placed](), list[Asked](), False
        for raw, head in zip(raws, heads(raws), strict=True):
            if head.type != "tool_use" or head.name not in OURS:
                mixed = mixed or head.type == "tool_use"
                self._chain.push(identity(raw))
                self._shown.append(raw)
                continue
            calls.append(Placed(self._chain.place, raw))
            asked.append(Asked(head.id, head.name, bytes(head.input) or b"{}"))
        self._before = self._output
        told = usage(bytes(outer.get("usage", b"{}"))) or Usage()
        self._output += told.output
        self._rounds += 1
        said = b'{"role":"assistant","content":[' + b",".join(raws) + b"]}"
        self._last = Heard(
            tuple(asked), tuple(calls), (said,), mixed, stop == CALLS, self._chain.place, usage=told
        )
        return self._last

    def finish(self) -> bytes:
        """Return the message that the client gets; the provider's own bytes where ours had no part in it."""
        if not self._rounds or (self._rounds == 1 and not self._last.asked):
            return self._body
        spans, cut = member_spans(self._body), bool(self._last.asked) and not self._last.mixed
        if "content" not in spans:
            return self._body
        shown = list(self._shown)
        if cut and not shown:
            shown.append(encoded({"type": "text", "text": SAID}))
        changes = [(spans["content"], b"[" + b",".join(shown) + b"]")]
        raw = self._body[slice(*spans["usage"])] if "usage" in spans else b""
        if is_object(raw):
            changes.append((spans["usage"], usage_told(raw, self._last.usage, self._before)))
        if cut and self._last.complete:
            changes.append((spans["stop_reason"], encoded(TURN_END)))
        return replaced(self._body, changes)

    def failed(self, error: bytes) -> bytes:
        """Return nothing: an answer that is not streamed cannot say in its middle that it failed."""
        del error
        return b""
