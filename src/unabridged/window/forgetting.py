"""A window's memory without what a person had erased."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from unabridged.window.catalogue import Entry, render
from unabridged.window.messages import short_name
from unabridged.window.state import State


def forgotten(state: State, turns: Iterable[str]) -> State:
    """Return the state with no word of some turns in its table of contents, named by their first items' keys.

    A turn's own line goes. A line of several turns keeps its names and loses its words: any of them may be of any turn.
    """
    names = {short_name(key) for key in turns}
    entries = tuple(_wordless(entry) for entry in state.entries if entry.turns > 1 or entry.name not in names)
    if not names:
        return state
    state = msgspec.structs.replace(state, sent=None)  # which previews are of what is erased, it does not say
    if entries == state.entries:
        return state
    catalogue = render(entries, state.address) if state.catalogue else ""
    return msgspec.structs.replace(state, entries=entries, catalogue=catalogue)


def _wordless(entry: Entry) -> Entry:
    return msgspec.structs.replace(entry, topic="", terms=()) if entry.turns > 1 else entry
