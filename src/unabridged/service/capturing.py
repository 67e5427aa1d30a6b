"""Takes items of conversations and hands them to the archive: each conversation's in order, slices put together."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from unabridged.archive import windows as kept
from unabridged.archive.admission import Append, Appended, plan_append
from unabridged.archive.capture import Capture, Row, Stream, begun, open_streams, prior, with_copies
from unabridged.archive.erasedrows import erased_rows
from unabridged.archive.ingest import LineRedactor
from unabridged.archive.twins import Begun
from unabridged.errors import LimitExceeded, StoreClosed
from unabridged.schema.ids import GLOBAL, NO_SESSION, Micros
from unabridged.schema.records import Generation
from unabridged.schema.windows import WindowHome
from unabridged.service.compose import redactor
from unabridged.store.contract import Store

HERE_BYTES = 64 << 10  # of items that are read where they arrive: about a millisecond; more goes to a worker
KEPT = 128  # conversations whose reader is kept between calls
MAX_ITEM = 40 << 20  # bytes of an item put together from slices; a line of a stream has room for it
MAX_SLICES = 96 << 20  # bytes of unfinished items of all conversations
MAX_UNFINISHED = 64  # unfinished items
MAX_TICK = 100  # turns closed in one tick

Key = tuple[bytes, str]  # conversation, item


class Elsewhere(Protocol):
    """Reads items in another process."""

    def read(
        self,
        stream: Stream,
        rows: Sequence[Row],
        before: Generation | None,
        commit: Callable[[Append], None],
    ) -> None:
        """Have items read behind `before`; `commit` takes each append. Returns when all were taken."""
        ...


class Slices:
    """Items of which some slices have come. They are in memory only: what is lost with it is sent again."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._parts = OrderedDict[Key, list[bytes]]()
        self._size = 0

    def add(self, name: Key, number: int, data: bytes, *, more: bool) -> bytes | None:
        """Add a slice; return the whole item behind its last one, None before; b"" where earlier ones are missing."""
        with self._lock:
            parts = self._parts.pop(name, [])
            self._size -= sum(map(len, parts))
            if number < len(parts):
                parts = parts[:number]  # it is sent again
            if number > len(parts):
                return b""
            parts.append(data)
            size = sum(map(len, parts))
            if not more:
                return b"".join(parts)
            if size > MAX_ITEM:
                raise LimitExceeded("an item is too long", field="rows", limit=MAX_ITEM, size=size)
            self._parts[name] = parts
            self._size += size
            while self._size > MAX_SLICES or len(self._parts) > MAX_UNFINISHED:
                _, oldest = self._parts.popitem(last=False)
                self._size -= sum(map(len, oldest))
            return None


@dataclass(slots=True)
class _Talk:
    """A conversation that is being captured: one thread at a time has its lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    capture: Capture | None = None
    flight: dict[str, Future[Any]] = field(default_factory=dict[str, "Future[Any]"])  # item → its commit
    last: Future[Any] | None = None
    begun: Begun | None = None  # for the first append of a session


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of items: commits under way that hold them. `known` were durable before."""

    known: set[str]
    commits: list[Future[Any]]


class Captures:
    """The conversations that are captured now."""

    def __init__(
        self,
        made: Callable[[], LineRedactor] | None = None,
        elsewhere: Elsewhere | None = None,
        idle_seconds: float = float("inf"),
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Read with the redactor that `made` gives; long items `elsewhere`, where there is such a place.

        A turn in which nothing is said for `idle_seconds`, by a monotonic clock, is over.
        """
        self._redactor = made or (lambda: redactor(True, (), ()))
        self._elsewhere = elsewhere
        self._idle, self._clock = idle_seconds, clock
        self._lock = threading.Lock()
        self._open: dict[bytes, tuple[float, Stream]] | None = None  # conversations with an open turn
        self._talks = OrderedDict[bytes, _Talk]()
        self.slices = Slices()

    def take(self, store: Store, stream: Stream, rows: Sequence[Row], now: Micros) -> Taken:
        """Take whole items of a conversation; return the commits that make durable what was not."""
        talk = self._talk(stream.conversation)
        with talk.lock:
            taken = self._take(talk, store, stream, rows, now)
        with self._lock:
            if self._open is not None:
                self._open[stream.conversation] = (self._clock() + self._idle, stream)
        return taken

    def erased(self, store: Store, stream: Stream, rows: Sequence[Row]) -> set[str]:
        """Return the keys of items whose text was erased, so that they are not taken again."""
        with store.snapshot(stream.project) as reader:
            return erased_rows(reader, stream, rows, self._redactor())

    def tend(self, store: Store, now: Micros) -> int:
        """Close the open turns of conversations in which nothing is said any more; return how many.

        One that cannot be closed raises, and waits until something is said in it again; the others are left to the next
        call.
        """
        if self._open is None:
            with store.snapshot() as reader:
                left = {one.conversation: (self._clock(), one) for one in open_streams(reader)}
            with self._lock:
                self._open = left
        with self._lock:
            ripe = [stream for at, stream in self._open.values() if at <= self._clock()][:MAX_TICK]
        for stream in ripe:
            with self._lock:
                self._open.pop(stream.conversation, None)
            self.close(store, stream, now)
        return len(ripe)

    def close(self, store: Store, stream: Stream, now: Micros) -> None:
        """Close the open turn of a conversation, durably."""
        talk = self._talk(stream.conversation)
        with talk.lock:
            self._settled(talk)
            made = self._submit(talk, store, self._reading(talk, store, stream).close(), now)
        position_of(made)

    def _talk(self, conversation: bytes) -> _Talk:
        with self._lock:
            found = self._talks.get(conversation)
            if found is None:
                found = self._talks[conversation] = _Talk()
            self._talks.move_to_end(conversation)
            while len(self._talks) > KEPT:
                name, oldest = next(iter(self._talks.items()))
                if oldest.lock.locked() or oldest.flight:
                    break
                del self._talks[name]
            return found

    def _take(self, talk: _Talk, store: Store, stream: Stream, rows: Sequence[Row], now: Micros) -> Taken:
        self._settled(talk)
        known, new, commits = self._new(talk, store, stream, rows)
        if not new:
            return Taken(known, commits)
        new = self._copied(talk, store, stream, new)
        if self._elsewhere is not None and sum(len(row.raw) for row in new) > HERE_BYTES:
            talk.capture = None
            made = list[Future[Any]]()

            def commit(append: Append) -> None:
                made.extend(self._submit(talk, store, iter((append,)), now))

            self._elsewhere.read(stream, new, self._before(talk, store, stream), commit)
        else:
            reading = self._reading(talk, store, stream)
            made = self._submit(talk, store, reading.take(new), now)
        return Taken(known, [*commits, *made])

    def _new(
        self, talk: _Talk, store: Store, stream: Stream, rows: Sequence[Row]
    ) -> tuple[set[str], list[Row], list[Future[Any]]]:
        """Return which items are durable, which are new, and the commits of those that are neither."""
        keys = list(dict.fromkeys(row.key for row in rows))
        home = WindowHome(GLOBAL, stream.conversation, stream.project, NO_SESSION)
        with store.snapshot(stream.project) as reader:
            found = kept.items_at(reader, home, keys)
        known = {key for key, item in zip(keys, found, strict=True) if item is not None}
        commits = {id(talk.flight[key]): talk.flight[key] for key in keys if key in talk.flight}
        new, seen = list[Row](), set(known) | set(talk.flight)
        for row in rows:
            if row.key not in seen:
                seen.add(row.key)
                new.append(row)
        return known, new, list(commits.values())

    def _copied(self, talk: _Talk, store: Store, stream: Stream, rows: list[Row]) -> list[Row]:
        """Return the first items of a conversation with the events of the one that it is a copy of."""
        if talk.capture is not None or self._before(talk, store, stream) is not None:
            return rows
        with store.snapshot(stream.project) as reader:
            # What takes long is done here, not where everything is written one after the other.
            talk.begun = begun(reader, stream)
            return with_copies(reader, stream, rows)

    def _reading(self, talk: _Talk, store: Store, stream: Stream) -> Capture:
        if talk.capture is None or not talk.capture.reads(stream):
            talk.capture = Capture(stream, self._redactor(), self._before(talk, store, stream))
        return talk.capture

    def _before(self, talk: _Talk, store: Store, stream: Stream) -> Generation | None:
        """Return how far a stream is kept, once that is all that was submitted."""
        if talk.last is not None:
            talk.last.exception()
        with store.snapshot(stream.project) as reader:
            return prior(reader, stream)

    def _submit(self, talk: _Talk, store: Store, appends: Iterator[Append], now: Micros) -> list[Future[Any]]:
        made = list[Future[Any]]()
        for append in appends:
            append.begun, talk.begun = talk.begun, None
            commit = store.submit(append.origin.project, plan_append(append, now))
            if append.captured is not None:
                talk.flight.update(dict.fromkeys(append.captured.keys, commit))
            talk.last = commit
            made.append(commit)
        return made

    def _settled(self, talk: _Talk) -> None:
        """Forget what is committed; after a failure go on from what is."""
        if talk.last is not None and talk.last.done() and talk.last.exception() is not None:
            talk.capture, talk.last = None, None
            talk.flight.clear()
        talk.flight = {key: commit for key, commit in talk.flight.items() if not commit.done()}


def position_of(commits: Sequence[Future[Any]]) -> int:
    """Return the newest log position of finished commits; raise what failed."""
    position = 0
    for commit in commits:
        outcome: Appended = commit.result()
        position = max(position, outcome.position)
    return position


def together(commits: Sequence[Future[Any]]) -> Future[Any]:
    """Return what is done when all commits are: their newest position, or the first failure."""
    whole = Future[Any]()
    left, lock = [len(commits)], threading.Lock()

    def ended(_: Future[Any]) -> None:
        with lock:
            left[0] -= 1
            last = not left[0]
        if not last:
            return
        # An exception raised in here would be nobody's, and `whole` never done.
        failed = next((error for commit in commits if (error := _failure(commit)) is not None), None)
        if failed is not None:
            whole.set_exception(failed)
        else:
            whole.set_result(position_of(commits))

    if not commits:
        whole.set_result(0)
    for commit in commits:
        commit.add_done_callback(ended)
    return whole


def _failure(commit: Future[Any]) -> BaseException | None:
    return StoreClosed() if commit.cancelled() else commit.exception()
