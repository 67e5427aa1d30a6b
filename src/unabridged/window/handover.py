"""What a host gets that makes its own history short: the archive's table of contents instead of a summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from unabridged.window.catalogue import as_they_are, entry, joined, masked, render
from unabridged.window.gating import Archive
from unabridged.window.groups import PINS, groups
from unabridged.window.limits import CATALOGUE_TOKENS, Limits
from unabridged.window.messages import Conversation
from unabridged.window.state import State, reset
from unabridged.window.view import View

NOTHING: frozenset[str] = frozenset()


class Handover(msgspec.Struct, frozen=True):
    """The text that stands for the history, the state behind the compaction, and what has to be durable before it.

    While `archive` is not empty the compaction must not take place.
    """

    text: str
    state: State
    archive: tuple[Archive, ...]


def handover(
    conversation: Conversation,
    state: State,
    durable: frozenset[str],
    stop: int | None = None,
    tokens: int = CATALOGUE_TOKENS,
    pins: Sequence[str] = PINS,
    redact: Callable[[str], str] = as_they_are,
) -> Handover:
    """Return the table of contents of the items before `stop` (default: all), for a host that compacts.

    It has at most so many tokens (strictly estimated) and never fails; the state keeps its lines and no boundary.
    `redact` masks what the archive would mask.
    """
    items = conversation.items
    end = len(items) if stop is None else stop
    view = View(conversation, Limits(), groups(items, pins), durable, NOTHING)
    first = view.shape.users[0] if view.shape.users else 0
    added = (
        (masked(entry(items[start:last]), redact) for start, last in view.removed(first, end))
        if first < end
        else ()
    )
    entries = joined(state.entries, added)
    missing = tuple(
        Archive("message", item.key, item.name(), index)
        for index, item in enumerate(items[:end])
        if item.key not in durable
    )
    after = msgspec.structs.replace(reset(state), entries=entries)
    return Handover(render(entries, state.address, tokens), after, missing)
