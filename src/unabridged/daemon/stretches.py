"""The log on its way into the index, stretch by stretch.

While the index takes one stretch, workers that have nothing to read make the windows of the next ones: what an import
leaves behind is searchable sooner by as much as there are processors.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from unabridged.daemon import messages
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.messages import Analyse, Analysed, Broken
from unabridged.errors import InternalError
from unabridged.index.feed import Feed, next_feed
from unabridged.schema.ids import ProjectId
from unabridged.store.contract import Store

AHEAD = 3  # stretches under way: one in the index, one with each of two workers
WORTH = (
    1 << 20
)  # bytes of text from which a stretch is handed out; the way there and back costs as much as a tenth
MOST = 16 << 20  # bytes of text up to which it is: it comes back as a whole
WAIT_SECONDS = 0.05  # that a free worker may take to begin, and between two looks whether the wait has an end


class Handed:
    """A stretch that a worker is asked to make the windows of."""

    def __init__(self, feed: Feed) -> None:
        """Ask for the windows of `feed`."""
        self.attempts = 0
        self._feed = feed
        self._lock = threading.Lock()
        self._taken = self._recalled = False
        self._begun = threading.Event()
        self._done = threading.Event()
        self._made: bytes | None = None

    def run(self, channel: Channel) -> None:
        """Have the worker make them, unless they are not wanted any more."""
        with self._lock:
            if self._recalled:
                return
            self._taken = True
        self._begun.set()
        channel.send(messages.encode(Analyse(self._feed)))
        report = messages.report(channel.receive())
        if isinstance(report, Broken):
            raise InternalError(type=report.kind, places=report.places)
        if isinstance(report, Analysed):
            self._made = report.made
        self._done.set()

    def lost(self, why: str) -> None:  # noqa: ARG002 - whatever it was, the index makes the windows itself
        """Give it back."""
        self._begun.set()
        self._done.set()

    def made(self, closed: Callable[[], bool]) -> bytes | None:
        """Return the windows; None when the index has to make them. Raises `ChannelClosed` when `closed` says so."""
        if not self._begun.wait(WAIT_SECONDS):
            with self._lock:
                self._recalled = not self._taken
            if self._recalled:
                return None
        while not self._done.wait(WAIT_SECONDS):
            if closed():
                raise ChannelClosed
        return self._made


class Stretch(NamedTuple):
    """Some of the log, with who makes its windows (None: the index does)."""

    feed: Feed
    handed: Handed | None

    def made(self, closed: Callable[[], bool]) -> bytes | None:
        """Return the windows, None when the index has to make them; see `Handed.made`."""
        return self.handed.made(closed) if self.handed is not None else None


class Stretches:
    """The log of one project behind a position."""

    def __init__(self, store: Store, project: ProjectId, after: int, offer: Callable[[Handed], bool]) -> None:
        """Begin behind `after`; `offer` hands a stretch to a worker if one is free."""
        self._store = store
        self._project = project
        self._at = after
        self._offer = offer
        self._flight = deque[Stretch]()

    def next(self) -> Stretch | None:
        """Return the next stretch; None at the head of the log."""
        if not self._flight:
            self._look_ahead()
        if not self._flight:
            return None
        found = self._flight.popleft()
        self._look_ahead()
        return found

    def _look_ahead(self) -> None:
        """Read stretches and hand them out, up to the first that nobody takes."""
        while len(self._flight) < AHEAD and (not self._flight or self._flight[-1].handed is not None):
            with self._store.snapshot(self._project) as reader:
                feed = next_feed(reader, self._project, self._at)
            if feed is None:
                return
            self._at = feed.position
            handed = Handed(feed) if WORTH <= feed.size <= MOST else None
            self._flight.append(Stretch(feed, handed if handed is not None and self._offer(handed) else None))
