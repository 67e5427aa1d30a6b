"""What the vectors need of a stretch of the log: what the lexical index needs, and what stands before each event."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.archive.resolve import Resolver
from unabridged.errors import UnabridgedError
from unabridged.index.feed import Feed, next_feed
from unabridged.index.status import is_indexed
from unabridged.schema.ids import Ordinal, ProjectId, SessionId
from unabridged.schema.records import EVENT, PATH, Event
from unabridged.store.contract import Reader
from unabridged.vectors.spans import TAIL_CHARS

STEPS_BACK = (
    4  # steps of a session looked at to find the text before an event; between them stand hidden ones
)
LONGEST_BEFORE = 65_536  # bytes of a text that is read for its end alone
STRETCH_BYTES = 256 << 10  # of text: some thousand spans, half a minute's work of one processor


class Stretch(msgspec.Struct, array_like=True):
    """A feed, and for its events (by ordinal) the end of the text before them or the ordinal of its event in the
    feed."""

    feed: Feed
    ends: dict[int, str] = {}
    follows: dict[int, int] = {}


def next_stretch(reader: Reader, project: ProjectId, after: int) -> Stretch | None:
    """Return what follows log position `after`, or None at the head of the log."""
    feed = next_feed(reader, project, after, STRETCH_BYTES)
    if feed is None:
        return None
    stretch = Stretch(feed)
    events = list(feed.unpacked())
    here = {event.ordinal for event in events}
    resolver = Resolver(reader)
    for session, seqs in _sessions(events).items():
        steps = _steps(reader, project, session, min(seqs), max(seqs))
        for event in seqs.values():
            _before(reader, resolver, stretch, event, steps, here)
    return stretch


def _sessions(events: Sequence[Event]) -> dict[SessionId, dict[int, Event]]:
    found = dict[SessionId, dict[int, Event]]()
    for event in events:
        found.setdefault(event.session, {})[event.seq] = event
    return found


def _steps(
    reader: Reader, project: ProjectId, session: SessionId, first: int, last: int
) -> dict[int, Ordinal]:
    """Return which event stands at each step of a session, from a few before `first` to `last`."""
    start, stop = max(0, first - STEPS_BACK), last + 1
    found = reader.scan(PATH, (project, session), start=(start,), stop=(stop,), limit=stop - start)
    return {step.seq: step.event for step in found}


def _before(
    reader: Reader,
    resolver: Resolver,
    stretch: Stretch,
    event: Event,
    steps: dict[int, Ordinal],
    here: set[Ordinal],
) -> None:
    """Note what stands before an event, if anything that is indexed does."""
    for seq in range(event.seq - 1, event.seq - 1 - STEPS_BACK, -1):
        ordinal = steps.get(seq)
        if ordinal is None:
            continue
        if ordinal in here:
            stretch.follows[event.ordinal] = ordinal
            return
        found = reader.get(EVENT, (event.project, ordinal))
        if found is None or not is_indexed(found):
            continue
        if found.size <= LONGEST_BEFORE:
            try:
                stretch.ends[event.ordinal] = resolver.event_text(found)[-TAIL_CHARS:]
            except UnabridgedError:
                return  # damaged: the archive's own check reports it
        return
