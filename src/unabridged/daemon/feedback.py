"""Counts which passages that a search showed were recalled, for this installation alone.

Places and counts, no text: in memory, and in one small file that the maintenance tick writes. What is not used for a
while is forgotten, what left the archive too. A crash loses the counts of a minute at most.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from unabridged.daemon import safety
from unabridged.daemon.logs import Log
from unabridged.errors import UnabridgedError
from unabridged.retrieve.places import tombstone_of
from unabridged.schema.ids import Micros, Ordinal, ProjectId
from unabridged.schema.records import EVENT
from unabridged.service.feedback import Place
from unabridged.store.contract import Store

NAME = "feedback.msgpack"
VERSION = 1
MOST_PLACES = 4_096  # with a count; about 200 KiB in the file and 1 MiB in memory
MOST_SHOWN = 2_048  # that are remembered as shown
MOST_COUNT = 255  # of one place
MAX_FILE_BYTES = 1 << 20
HOUR = 3_600 * 1_000_000  # microseconds that a passage counts as shown
KEPT = 90 * 24 * HOUR  # microseconds without a recall, after which a count is forgotten
SWEPT = 256  # places looked at in a tick, whether they are still in the archive


class _Row(msgspec.Struct, frozen=True, array_like=True):
    project: bytes
    ordinal: int
    count: int
    last: int  # microseconds


class _File(msgspec.Struct, frozen=True, array_like=True):
    version: int
    rows: list[_Row]


class Counts:
    """The counts of one home; `on` false: nothing is counted, and what there was is removed."""

    def __init__(self, folder: str, store: Store, log: Log, *, on: bool) -> None:
        """Read the file in `folder`; one that cannot be read counts as none."""
        self._path = os.path.join(folder, NAME)
        self._store = store
        self._log = log
        self._on = on
        self._lock = threading.Lock()
        self._shown = OrderedDict[Place, Micros]()
        self._rows = self._read() if on else {}
        self._used: Mapping[Place, int] | None = None  # made anew when something changed
        self._dirty = False
        self._swept = 0
        if not on:
            self._remove()

    def shown(self, places: Iterable[Place], now: Micros) -> None:
        """Learn that a search showed these messages."""
        if not self._on:
            return
        with self._lock:
            for place in places:
                self._shown.pop(place, None)
                self._shown[place] = now
            while len(self._shown) > MOST_SHOWN:
                self._shown.popitem(last=False)

    def recalled(self, place: Place, now: Micros) -> None:
        """Count a recall, once for each time that the message was shown within the hour."""
        with self._lock:
            when = self._shown.pop(place, None)
            if when is None or now - when > HOUR:
                return
            old = self._rows.pop(place, None)
            count = min(MOST_COUNT, (old.count if old is not None else 0) + 1)
            self._rows[place] = _Row(*place, count, now)  # the last one is the latest
            while len(self._rows) > MOST_PLACES:
                del self._rows[next(iter(self._rows))]
            self._changed()

    def used(self) -> Mapping[Place, int]:
        """Return the counts as they stand."""
        with self._lock:
            if self._used is None:
                self._used = {place: row.count for place, row in self._rows.items()}
            return self._used

    def facts(self) -> dict[str, Any]:
        """Return how much is counted, and where."""
        with self._lock:
            recalls = sum(row.count for row in self._rows.values())
            return {"on": self._on, "passages": len(self._rows), "recalls": recalls, "file": self._path}

    def clear(self) -> int:
        """Forget everything."""
        with self._lock:
            count = len(self._rows)
            self._shown.clear()
            self._rows.clear()
            self._changed()
            self._dirty = False
            self._remove()
            return count

    def tend(self, now: Micros) -> None:
        """Forget what is old or gone, and write what changed: a task of the maintenance tick."""
        with self._lock:
            self._forget([place for place, row in self._rows.items() if now - row.last > KEPT])
            places = list(self._rows)
            begin = self._swept if self._swept < len(places) else 0
            looked = places[begin : begin + SWEPT]
            self._swept = begin + len(looked)
        gone = self._gone(looked)
        with self._lock:
            self._forget(gone)
            if self._dirty:
                self._write()

    def _gone(self, places: list[Place]) -> list[Place]:
        """Return which messages are no more in the archive: erased, expired or retired."""
        if not places:
            return []
        with self._store.snapshot() as reader:
            found = zip(places, reader.get_many(EVENT, places), strict=True)
            return [place for place, event in found if event is None or tombstone_of(reader, event)]

    def _forget(self, places: list[Place]) -> None:
        for place in places:
            if self._rows.pop(place, None) is not None:
                self._changed()

    def _changed(self) -> None:
        self._used, self._dirty = None, True

    # --- the file -------------------------------------------------------------------------------------------------

    def _read(self) -> dict[Place, _Row]:
        try:
            descriptor = safety.open_private(self._path, os.O_RDONLY)
            with os.fdopen(descriptor, "rb") as file:
                found = msgspec.msgpack.decode(file.read(MAX_FILE_BYTES), type=_File)
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnabridgedError) as error:
            self._log.failure("feedback-unreadable", error)
            return {}
        rows = found.rows if found.version == VERSION else []
        rows = sorted(rows, key=lambda row: row.last)[-MOST_PLACES:]
        return {(ProjectId(row.project), Ordinal(row.ordinal)): row for row in rows}

    def _write(self) -> None:
        """Write the file whole or not at all; a disk that takes nothing is tried again with the next tick."""
        temporary = f"{self._path}.{os.getpid()}"
        data = msgspec.msgpack.encode(_File(VERSION, list(self._rows.values())))
        try:
            descriptor = safety.open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.replace(temporary, self._path)
        except (OSError, UnabridgedError) as error:
            self._log.failure("feedback-not-written", error)
            return
        self._dirty = False

    def _remove(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self._path)
