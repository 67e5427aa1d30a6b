"""Which transcripts the archive knows, and how far each was read."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from unabridged.archive import log
from unabridged.schema.ids import OriginId, ProjectId, origin_id
from unabridged.schema.records import GENERATION, ORIGIN, SEGMENT, Generation, Origin
from unabridged.store.contract import Reader, Store

PAGE = 1_000  # records read at once
SEGMENTS_A_PAGE = 8  # segments hold data: at most 8 MiB at once


class Known:
    """Every origin of the store by its id, kept in memory: about 0.5 KiB each."""

    def __init__(self, store: Store) -> None:
        """Know the origins of a store; they are read when somebody asks, since a start must not wait for them."""
        self._store = store
        self._lock = threading.Lock()
        self._read: dict[OriginId, Origin] | None = None

    @property
    def _origins(self) -> dict[OriginId, Origin]:
        """Every origin; the caller holds the lock."""
        if self._read is None:
            self._read = {}
            with self._store.snapshot() as reader:
                for project in log.projects(reader):
                    self._read.update({origin.origin: origin for origin in _origins(reader, project.id)})
        return self._read

    def origin(self, host: str, place: str) -> Origin | None:
        """Return what is known of a host's file (its real path) or stream."""
        with self._lock:
            return self._origins.get(origin_id(host, place))

    def add(self, origin: Origin) -> None:
        """Note a committed origin."""
        with self._lock:
            self._origins[origin.origin] = origin

    def all(self) -> list[Origin]:
        """Return every origin."""
        with self._lock:
            return list(self._origins.values())

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


def _origins(reader: Reader, project: ProjectId) -> Iterator[Origin]:
    start = b""
    while True:
        page = reader.scan(ORIGIN, (project,), start=(start,) if start else (), limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        start = (int.from_bytes(page[-1].origin, "big") + 1).to_bytes(16, "big")
