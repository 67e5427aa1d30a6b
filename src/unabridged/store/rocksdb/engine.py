"""The database of one store: written by one thread, read by many."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from rocksdict import AccessType, Checkpoint, Rdict, WriteBatch

from unabridged.errors import (
    DiskFull,
    ReadOnly,
    StoreClosed,
    StoreError,
    StoreLocked,
    StoreMissing,
    TransientStoreError,
)
from unabridged.store.bytes import Change
from unabridged.store.contract import Capabilities, Usage
from unabridged.store.rocksdb.calls import call
from unabridged.store.rocksdb.options import MEMTABLE_BYTES, MEMTABLES, database_options
from unabridged.store.rocksdb.view import Held, RocksView

# Free bytes below which a failed engine is not reopened, since that would fail half way and end the reads that still
# work: opening writes the memtables as table files, and a new manifest.
REOPEN_BYTES = 2 * MEMTABLES * MEMTABLE_BYTES
REOPEN_TRIES = 100  # attempts, while readers in other threads leave the old handle
REOPEN_PAUSE = 0.05  # seconds between them
QUIET_SECONDS = 30.0  # how long a backup waits for a moment between two commits
SIZE_LIMIT = 1 << 30  # bytes of one value
FILLER_KEY = b"\x00filler"  # stands before every record's key
FILLER = bytes(64 << 10)
WARM_BYTES = (
    MEMTABLE_BYTES // 16 * 15
)  # of filler: a little less than what makes the engine change memtables itself
WARM_FREE_BYTES = 64 * MEMTABLE_BYTES  # free on the disk, below which nothing is written that need not be


class RocksEngine:
    """One RocksDB database."""

    def __init__(self, path: Path, *, create: bool = False, read_only: bool = False) -> None:
        """Open the database in a folder of its own; `create` makes it when it is absent."""
        if create:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        elif not (path / "CURRENT").exists():
            raise StoreMissing("the store's data is gone", path=str(path))
        self._path = path
        self._create = create
        self._read_only = read_only
        self.capabilities = Capabilities(
            engine="rocksdb",
            durable=True,
            shared=False,
            backup=True,
            compact=True,
            max_value_bytes=SIZE_LIMIT,
        )
        self._between = threading.Lock()  # held while there are writes that are not published
        self._dirty = False
        self._lock = threading.Lock()  # over `_database` and `_current`
        self._database: Rdict | None = self._open()
        self._current: Held | None = Held(self._database)

    def _open(self) -> Rdict:
        access = AccessType.read_only(False) if self._read_only else AccessType.read_write()
        options = database_options(create=self._create)
        families = {"default": options}  # else a database that exists is opened with the driver's own
        return call(lambda: Rdict(str(self._path), options, families, access_type=access))

    def _live(self) -> Rdict:
        database = self._database
        if database is None:
            raise StoreClosed
        return database

    # --- reads ---------------------------------------------------------------------------------------------------

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        database = self._live()
        return call(lambda: database.get(key))

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        get = self._live().get
        # One by one: the driver's own list call costs more than it saves, and what a plan asks for is mostly absent.
        return call(lambda: [get(key) for key in keys])

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        return _range(self._live(), lower, upper, reverse=reverse, limit=limit)

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        keys: Any = self._live().keys(from_key=lower)
        return call(lambda: sum(1 for _ in takewhile(upper.__gt__, keys)))

    # --- writes --------------------------------------------------------------------------------------------------

    def write(self, changes: Sequence[Change]) -> None:
        """Apply changes atomically, not yet durable."""
        if self._read_only:
            raise ReadOnly(path=str(self._path))
        batch = WriteBatch(raw_mode=True)
        for key, value in changes:
            if value is None:
                batch.delete(key)
            else:
                batch[key] = value  # a tenth quicker than put
        database = self._live()
        if not self._dirty:
            self._between.acquire()
            self._dirty = True
        call(lambda: database.write(batch))

    def flush(self) -> None:
        """Make every write so far durable."""
        database = self._live()
        call(lambda: database.flush_wal(True))

    def publish(self) -> None:
        """Let views made from now on see every write so far."""
        fresh = Held(self._live())
        with self._lock:
            self._current = fresh
        self._clean()

    def _clean(self) -> None:
        if self._dirty:
            self._dirty = False
            self._between.release()

    def view(self) -> RocksView:
        """Return the published state."""
        with self._lock:
            if self._database is None:
                raise StoreClosed
            if self._current is None:
                raise TransientStoreError("the store is being reopened")
            return RocksView(self._current)

    def reopen(self) -> None:
        """Close, open again; raise `DiskFull`, before anything is closed, where opening could not succeed."""
        free = shutil.disk_usage(self._path).free
        if free < REOPEN_BYTES:
            raise DiskFull(path=str(self._path), free=free, needed=REOPEN_BYTES)
        self._shut()
        pause = threading.Event()
        for attempt in range(REOPEN_TRIES):
            try:
                database = self._open()
                break
            except StoreLocked:  # a reader in another thread is about to leave the old handle
                if attempt == REOPEN_TRIES - 1:
                    raise
                pause.wait(REOPEN_PAUSE)
        else:
            raise StoreLocked(path=str(self._path))
        with self._lock:
            self._database = database
        self._clean()

    def usage(self) -> Usage:
        """Return the bytes of all files, and an estimate of what compaction would give back."""
        database = self._live()
        live = call(lambda: database.property_int_value("rocksdb.estimate-live-data-size")) or 0
        tables = call(lambda: database.property_int_value("rocksdb.total-sst-files-size")) or 0
        size = sum(entry.stat().st_size for entry in os.scandir(self._path) if entry.is_file())
        return Usage(bytes_on_disk=size, reclaimable=max(0, tables - live))

    def warm(self) -> None:
        """Write the write-ahead files full of nothing, once, so that later commits overwrite them.

        The flush behind an overwrite waits for the data alone. The flush behind an append waits for a commit of the
        file system's journal too, and so for what every other program writes: several times as long.
        """
        if self._read_only or shutil.disk_usage(self._path).free < WARM_FREE_BYTES:
            return
        database = self._live()
        for _ in range(MEMTABLES):
            for _ in range(WARM_BYTES // len(FILLER)):
                batch = WriteBatch(raw_mode=True)
                batch[FILLER_KEY] = FILLER
                call(partial(database.write, batch))
            batch = WriteBatch(raw_mode=True)
            batch.delete(FILLER_KEY)
            call(partial(database.write, batch))
            call(lambda: database.flush_wal(True))
            call(
                lambda: database.flush(True)
            )  # begins another write-ahead file and frees this one for use again

    def compact(self) -> None:
        """Write memtables out, then merge all table files."""
        database = self._live()
        call(lambda: database.flush(True))
        call(lambda: database.compact_range(None, None))
        with self._quiet(), self._lock:  # the published state holds the old files
            if self._current is not None:
                self._current = Held(database)

    @contextmanager
    def _quiet(self) -> Generator[None, None, None]:
        """Hold the writer off, once everything that it wrote is published."""
        if not self._between.acquire(timeout=QUIET_SECONDS):
            raise TransientStoreError("a write is under way, or failed")
        try:
            yield
        finally:
            self._between.release()

    def backup(self, path: Path) -> None:
        """Link (or copy) the table files, and copy the rest, into an absent folder."""
        database = self._live()
        call(
            lambda: database.flush(True)
        )  # before the lock, and without the interpreter's, which the next call holds
        with self._quiet():
            call(lambda: Checkpoint(database).create_checkpoint(str(path)))

    def close(self) -> None:
        """Close; views end."""
        self._shut()
        self._clean()

    def _shut(self) -> None:
        with self._lock:
            database, self._database = self._database, None
            current, self._current = self._current, None
        if current is not None:
            current.end()
        if database is not None:
            try:
                call(database.close)
            except StoreError:
                # It repeats the failure that stopped it, or could not write its memory out, which the write-ahead file
                # holds. Letting go of it closes it all the same.
                del database


def _range(
    database: Rdict, lower: bytes, upper: bytes, *, reverse: bool, limit: int
) -> list[tuple[bytes, bytes]]:
    found = list[tuple[bytes, bytes]]()
    if lower >= upper or limit <= 0:
        return found
    entries: Any = database.items(backwards=reverse, from_key=upper if reverse else lower)

    def collect() -> None:
        for entry in entries:
            if lower <= entry[0] < upper:
                found.append(entry)
                if len(found) == limit:
                    return
            elif entry[0] != upper:
                return

    call(collect)
    return found
