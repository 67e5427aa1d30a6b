"""Which transcripts the archive knows, and how far each was read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from unabridged.archive import log
from unabridged.archive.ingest import WIRE
from unabridged.schema.ids import OriginId, ProjectId, SessionId, origin_id
from unabridged.schema.records import GENERATION, ORIGIN, SEGMENT, Generation, Origin
from unabridged.store.contract import Reader, Store

PAGE = 500  # records read at once
SEGMENTS_A_PAGE = 8  # segments hold data: at most 8 MiB at once


@dataclass(frozen=True, slots=True)
class Mark:
    """What is remembered of an origin's newest generation: its file as it was, how far it was read."""

    inode: int
    size: int
    mtime_ns: int
    consumed: int
    session: SessionId
    open: bool  # its last turn may still grow

    @property
    def stat(self) -> tuple[int, int, int]:
        """Inode, size and time: as long as they stay, nothing is new."""
        return self.inode, self.size, self.mtime_ns


class Known:
    """Every origin of the store with its mark, kept in memory: about 1 KiB each."""

    def __init__(self, store: Store) -> None:
        """Know the origins of a store; they are read when somebody asks, since a start must not wait for them."""
        self._store = store
        self._lock = threading.Lock()
        self._loaded = False
        self._origins = dict[OriginId, Origin]()
        self._marks = dict[OriginId, Mark]()

    def origin(self, host: str, place: str) -> Origin | None:
        """Return what is known of a host's file (its real path) or stream."""
        with self._lock:
            self._load()
            return self._origins.get(origin_id(host, place))

    def mark(self, host: str, place: str) -> Mark | None:
        """Return how far a host's file or stream was read."""
        with self._lock:
            self._load()
            return self._marks.get(origin_id(host, place))

    def add(self, origin: Origin, generation: Generation | None = None) -> None:
        """Note a committed origin, with its generation when that moved."""
        with self._lock:
            self._load()
            self._origins[origin.origin] = origin
            if generation is not None:
                self._marks[origin.origin] = _mark(generation)

    def all(self) -> list[Origin]:
        """Return every origin."""
        with self._lock:
            self._load()
            return list(self._origins.values())

    def stats(self) -> dict[str, tuple[str, int, int, int]]:
        """Return (host, inode, size, time) of every known file by its path."""
        with self._lock:
            self._load()
            return {
                origin.path: (origin.host, *mark.stat)
                for name, origin in self._origins.items()
                if origin.kind != "stream" and (mark := self._marks.get(name)) is not None
            }

    def prior(self, origin: Origin) -> Generation | None:
        """Return the newest generation of an origin as it is in the store now."""
        with self._store.snapshot(origin.project) as reader:
            found = reader.scan(GENERATION, (origin.project, origin.origin), reverse=True, limit=1)
        return found[0] if found else None

    def spans(self, generation: Generation) -> list[tuple[int, int, bytes]]:
        """Return (offset, size, SHA-256) of what was consumed of the host's file, piece by piece."""
        key = (generation.project, generation.origin, generation.number)
        found, start = list[tuple[int, int, bytes]](), 0
        with self._store.snapshot(generation.project) as reader:
            while True:
                page = reader.scan(SEGMENT, key, start=(start,), limit=SEGMENTS_A_PAGE)
                for item in page:
                    if item.source_size:
                        found.append((item.source, item.source_size, item.source_digest or item.digest))
                if len(page) < SEGMENTS_A_PAGE:
                    return found
                start = page[-1].start + 1

    def _load(self) -> None:
        """Read everything, the first time; the caller holds the lock."""
        if self._loaded:
            return
        with self._store.snapshot() as reader:
            for project in log.projects(reader):
                self._origins.update({item.origin: item for item in _origins(reader, project.id)})
                # In key order, so that of an origin's generations the newest comes last.
                self._marks.update({item.origin: _mark(item) for item in _generations(reader, project.id)})
        self._loaded = True


def _mark(generation: Generation) -> Mark:
    consumed = generation.source_offset
    unfinished = bool(generation.turn_state) or consumed + generation.pending < generation.size
    return Mark(
        generation.inode, generation.size, generation.mtime_ns, consumed, generation.session, unfinished
    )


def _origins(reader: Reader, project: ProjectId) -> Iterator[Origin]:
    start = b""
    while True:
        page = reader.scan(ORIGIN, (project,), start=(start,) if start else (), limit=PAGE)
        yield from (origin for origin in page if origin.kind != WIRE)
        if len(page) < PAGE:
            return
        start = (int.from_bytes(page[-1].origin, "big") + 1).to_bytes(16, "big")


def _generations(reader: Reader, project: ProjectId) -> Iterator[Generation]:
    start: tuple[bytes | int, ...] = ()
    while True:
        page = reader.scan(GENERATION, (project,), start=start, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        start = (page[-1].origin, page[-1].number + 1)
