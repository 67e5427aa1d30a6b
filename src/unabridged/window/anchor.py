"""Where the last cut is in what the host sends now."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from unabridged.window.messages import Item, keys_digest
from unabridged.window.state import Cut, State, reset

# Items by which an anchor may have moved: hosts leave out a failed answer or add a note. A host that compacts moves it
# further, and then the boundary is not the same one.
SHIFT = 4


class Anchored(msgspec.Struct, frozen=True):
    """The state as it holds for these items; `changed`: the history before the cut is not what was cut."""

    state: State
    changed: bool = False


def anchored(items: Sequence[Item], state: State, durable: Callable[[str], bool]) -> Anchored:
    """Return the state whose cut holds for the items, moved where the host moved it, reset where it is gone.

    The items before the cut are those that were cut (their keys have the same digest), or all of them are durable.
    """
    cut = state.cut
    if not cut.index:
        return Anchored(state)
    if (
        cut.index < len(items)
        and items[cut.index].key == cut.key
        and keys_digest(items[: cut.index]) == cut.before
    ):
        return Anchored(state)
    index = _moved(items, cut)
    if index and all(durable(item.key) for item in items[:index]):
        moved = Cut(index, items[index].key, keys_digest(items[:index]))
        return Anchored(msgspec.structs.replace(state, cut=moved))
    return Anchored(reset(state), changed=True)


def _moved(items: Sequence[Item], cut: Cut) -> int:
    """Return the index of the anchor near to where it was, 0 where it is not."""
    near = sorted(range(cut.index - SHIFT, cut.index + SHIFT + 1), key=lambda index: abs(index - cut.index))
    return next((index for index in near if 0 < index < len(items) and items[index].key == cut.key), 0)
