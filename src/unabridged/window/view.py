"""One conversation under its limits: what a state lets stand of it, and how large that is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterator
from itertools import pairwise

import msgspec

from unabridged.schema.tokens import by_length
from unabridged.window.catalogue import as_they_are
from unabridged.window.gating import Gated, Rules, gated
from unabridged.window.groups import Groups
from unabridged.window.limits import Gates, Limits
from unabridged.window.messages import FRAME_TOKENS, Conversation, Item
from unabridged.window.state import State


class View(msgspec.Struct, frozen=True):
    """What a plan looks at. `durable` and `erased` hold keys of items; `redact` masks what must not be stored."""

    conversation: Conversation
    limits: Limits
    shape: Groups
    durable: Container[str]
    erased: Container[str]
    redact: Callable[[str], str] = as_they_are

    @property
    def items(self) -> tuple[Item, ...]:
        """The items as the host sent them."""
        return self.conversation.items

    def gates(self, state: State) -> Gates:
        """Return the sizes that hold in the epoch."""
        return state.gates or self.limits.gates

    def gated(self, state: State) -> Gated:
        """Return what stands of the items behind the state's cut, and of the groups that are held before it."""
        items = self.items
        rules = Rules(
            gates=self.gates(state),
            durable=self.durable.__contains__,
            erased=self.erased,
            name=state.full_name,
            pinned={pinned.index: pinned.parts for pinned in self.shape.front},
            trusted=state.shown.count if state.shown.holds(items) else 0,
            regated=state.regated.count if state.regated.holds(items) else 0,
            regate=state.regate,
            squeezed=state.squeezed,
            inline=frozenset(state.inline),
            replaced=frozenset(state.replaced),
        )
        indexes = [index for start, stop in self.held(state.cut.index) for index in range(start, stop)]
        return gated(items, [*indexes, *range(state.cut.index, len(items))], rules)

    def tokens(self, state: State, found: Gated) -> int:
        """Return the tokens of what stands, with all that stands beside it, as the provider would count them."""
        return state.calibration.scaled(self.beside(state.cut.index) + self.catalogue(state) + found.tokens)

    def catalogue(self, state: State) -> int:
        """Return the tokens of the table of contents."""
        return FRAME_TOKENS + by_length(len(state.catalogue)) if state.catalogue else 0

    def beside(self, cut: int) -> int:
        """Return the tokens outside of the items and of what is pinned before a cut."""
        total, held = self.conversation.fixed, self.held_indexes(cut)
        for pinned in self.shape.front:
            if pinned.index < cut and pinned.index not in held:
                parts = self.items[pinned.index].parts[: pinned.parts]
                total += FRAME_TOKENS + sum(part.tokens for part in parts)
        return total

    def users(self, cut: int) -> int:
        """Return how many user messages stand behind a cut."""
        return len(self.shape.users) - bisect_left(self.shape.users, cut)

    def removed(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield the borders of each group from `start` to before `stop`, and of what precedes the first."""
        borders = [start, *(index for index in self.shape.users if start < index < stop), stop]
        for first, last in pairwise(borders):
            if first < last:
                yield first, last

    def held(self, cut: int) -> list[tuple[int, int]]:
        """Return the groups before a cut that stay because text in them was erased from the archive."""
        erased = self.erased
        if not cut or not erased:
            return []
        touched = [index for index in range(cut) if self.items[index].key in erased]
        if not touched:
            return []
        return [
            (first, last)
            for first, last in self.removed(0, cut)
            if any(first <= index < last for index in touched)
        ]

    def held_indexes(self, cut: int) -> frozenset[int]:
        """Return the items of the held groups."""
        return frozenset(index for first, last in self.held(cut) for index in range(first, last))
