"""Rounds put back: at which borders of an answer calls and results stand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.gateway.offered.rounds import Round, borders, found_at


class Item(msgspec.Struct, frozen=True):
    """One thing that is put in at a border: a call, or the results of the calls before it."""

    call: bytes = b""
    results: tuple[bytes, ...] = ()


class Put(msgspec.Struct):
    """What is put in: by border in order, and the results that go behind the whole answer, beside the client's."""

    at: dict[int, list[Item]]
    after: list[bytes]

    def raws(self, border: int) -> list[bytes]:
        """Return the bytes of all that is put in at a border."""
        return [raw for one in self.at.get(border, ()) for raw in ((one.call,) if one.call else one.results)]


def placed(rounds: Sequence[Round], identities: Sequence[bytes | None], *, mixed: bool) -> Put:
    """Return where rounds of one answer go, given the identities of its pieces.

    A round that has no place here ends it: what came behind it in the answer was another history. `mixed`: there is
    something behind the answer for the results of calls that stand beside the client's.
    """
    found = Put({}, [])
    if not rounds:
        return found
    places = borders(rounds[0].seed, identities)
    for one in rounds:
        at = [found_at(places, call.place) for call in one.calls]
        end = None if one.end is None else found_at(places, one.end)
        if any(place is None for place in at) or (end is None and (one.end is not None or not mixed)):
            break
        for place, call in zip(at, one.calls, strict=True):
            found.at.setdefault(place or 0, []).append(Item(call=call.raw))
        if end is None:
            found.after += one.results
        else:
            found.at.setdefault(end, []).append(Item(results=one.results))
    return found
