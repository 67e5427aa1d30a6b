"""Offered tools in OpenAI Responses: what they look like, and how a history is filled up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unabridged.gateway.offered import tools
from unabridged.gateway.offered.contract import ClientAnswer, ToolCall
from unabridged.gateway.offered.placing import placed
from unabridged.gateway.offered.responseitems import identities
from unabridged.gateway.offered.responses import Streamed
from unabridged.gateway.offered.responseswhole import Whole
from unabridged.gateway.offered.rounds import Round
from unabridged.window.providers.splice import NotUnderstood, encoded, members


class Responses:
    """The form."""

    tools = tools.RESPONSES

    def offers(self, body: bytes) -> bool:
        """Tell whether a request holds all of its history: nothing is kept by the provider, to be gone on from."""
        try:
            outer = members(body)
        except NotUnderstood:
            return False
        return bytes(outer.get("store", b"")) == b"false" and bytes(outer.get("background", b"")) != b"true"

    def answer(self, seed: str, *, streamed: bool) -> ClientAnswer:
        """Return an empty answer."""
        return Streamed(seed) if streamed else Whole(seed)

    def result(self, asked: ToolCall, text: str, *, failed: bool) -> bytes:
        """Return an item; the text says itself that something failed."""
        del failed
        return encoded({"type": "function_call_output", "call_id": asked.id, "output": text})

    def between(self, results: Sequence[bytes]) -> list[bytes]:
        """Return the items themselves."""
        return list(results)

    def filled(
        self, raws: Sequence[bytes], start: int, stop: int, rounds: Sequence[Round]
    ) -> Mapping[int, list[bytes]]:
        """Return the items with rounds put back."""
        puts = placed(rounds, identities(raws[start:stop]), mixed=stop < len(raws))
        found = dict[int, list[bytes]]()
        for at in range(start, stop):
            before = puts.raws(at - start)
            behind = [*puts.raws(stop - start), *puts.after] if at == stop - 1 else []
            if before or behind:
                found[at] = [*before, raws[at], *behind]
        return found
