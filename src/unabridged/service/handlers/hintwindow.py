"""What the live window has left out of a session's prompt: it may be told of again, as what a compaction took away."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.archive import windows
from unabridged.errors import UnabridgedError
from unabridged.retrieve.hintlineage import NOTHING_LEFT, Left, Lineage, Visible, since_compaction
from unabridged.schema.ids import GLOBAL, Micros, Ordinal, SessionId
from unabridged.schema.records import EVENT, PATH, Event
from unabridged.schema.windows import Window, WindowHome
from unabridged.store.contract import Reader
from unabridged.window import state as states
from unabridged.window.state import State

LATER = 60_000_000  # microseconds by which an answer may be later than what is known of the window that it went through
LOOKED_BACK = 20  # steps in which such an answer is looked for
PREVIEWS = 1_000  # parts that are shown as previews and are looked up
BEYOND = 1 << 62  # behind every place of a session


def visible(reader: Reader, lineage: Lineage, keys: frozenset[str] | None) -> Visible:
    """Return what stands in a session's prompt; `keys` are the source keys that its host takes for visible, or None."""
    return Visible(reader, lineage, keys, left_out(reader, lineage))


def since(reader: Reader, lineage: Lineage) -> Micros:
    """Return when what stands in a session's prompt begins: behind a compaction or a cut; 0 where there was neither."""
    return max(since_compaction(reader, lineage), left_out(reader, lineage).time)


def left_out(reader: Reader, lineage: Lineage) -> Left:
    """Return what the window of a session's own conversation leaves out, as it was sent last.

    Nothing where its last requests did not pass through a window, or where the cut is not known.
    """
    window = _window(reader, lineage)
    if window is None:
        return NOTHING_LEFT
    state = _state(window)
    previews = frozenset(_events(reader, window, state.replaced[:PREVIEWS]))
    first = _first(reader, window, state)
    if first is None or first.session not in lineage.names:
        return Left({}, previews)
    at = lineage.names.index(first.session)
    begins = dict[SessionId, int](dict.fromkeys(lineage.names[at + 1 :], BEYOND))
    return Left({**begins, lineage.names[at]: first.seq}, previews, first.time)


def _window(reader: Reader, lineage: Lineage) -> Window | None:
    """Return the window of a session's main conversation, if its last answer went through it."""
    session = lineage.session
    if session is None:
        return None
    known = [
        one
        for one in windows.of_session(reader, session.project, session.session)
        if not one.side and one.state
    ]
    window = max(known, key=lambda one: one.updated, default=None)
    if window is None:
        return None
    steps = reader.scan(PATH, (session.project, session.session), reverse=True, limit=LOOKED_BACK)
    events = reader.get_many(EVENT, [(session.project, step.event) for step in steps])
    answered = (event.time for event in events if event is not None and event.role == "assistant")
    return window if max(answered, default=0) <= window.updated + LATER else None


def _state(window: Window) -> State:
    try:
        return states.decode(window.state)
    except UnabridgedError:  # of a newer version: nothing is known of its cut
        return State()


def _first(reader: Reader, window: Window, state: State) -> Event | None:
    """Return the first event that stands behind the cut, None where nothing is cut or that item is not archived."""
    if not state.cut.index:
        return None
    ordinals = _events(reader, window, [state.cut.key])
    events = reader.get_many(EVENT, [(window.project, ordinal) for ordinal in ordinals])
    return min((event for event in events if event is not None), key=lambda event: event.seq, default=None)


def _events(reader: Reader, window: Window, parts: Sequence[str]) -> list[Ordinal]:
    """Return the events of some items or parts of them (`key#part`)."""
    named = [part.partition("#") for part in parts]
    home = WindowHome(GLOBAL, window.conversation, window.project, window.session)
    items = windows.items_at(reader, home, [key for key, _, _ in named])
    found = list[Ordinal]()
    for item, (_, _, at) in zip(items, named, strict=True):
        if item is None:
            continue
        wanted = item.events[int(at) : int(at) + 1] if at.isdigit() else item.events
        found += [ordinal for ordinal in wanted if ordinal]
    return found
