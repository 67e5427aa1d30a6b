"""The RocksDB engine, the default on one machine.

Facts of the driver that shape it:

- A synchronous write holds the interpreter lock through its fsync: writes are not synchronous, `flush_wal` follows.
- A snapshot spans one column family, so there is one.
- A snapshot serves single gets alone: its iterators read the live state. An iterator keeps the state that it was made
  on, however, so a view is a snapshot for gets with an iterator for ranges, both made between two writes.
- A lower bound of an iterator is ignored, so bounds are compared here.
- Options given for a database that exists hold for its column families only when they are given for each.
- `close` leaves the database open while a snapshot or iterator lives.
- Every opening, for reading too, writes a file of the driver's own: a folder that cannot be written cannot be read.
- Every failure is a plain `Exception`, told apart by its text.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    Checkpoint,
    DBCompressionType,
    Options,
    Rdict,
    RdictIter,
    Snapshot,
    WriteBatch,
)

from unabridged.errors import (
    Corrupt,
    DiskFull,
    ReadOnly,
    StoreClosed,
    StoreError,
    StoreFailed,
    StoreLocked,
    StoreMissing,
    TransientStoreError,
)
from unabridged.store.bytes import Change
from unabridged.store.contract import Capabilities, Usage

T = TypeVar("T")

# Memory: blocks, filters and block indexes live in the cache, so these two bound what the engine holds.
CACHE_BYTES = (
    32 << 20
)  # bytes of block cache; at a million events filters and block indexes take about a third
MEMTABLE_BYTES = 12 << 20  # bytes of one memtable, which also bounds one write-ahead file
MEMTABLES = 3  # one written to, two on their way to disk, while an import outruns the disk
OPEN_FILES = 256  # table files held open, each with its reader
BLOCK_BYTES = (
    16 << 10
)  # bytes; events compress better in larger blocks, and segments are larger than any block
PART_BYTES = 4 << 10  # bytes of one part of a filter or block index
FILTER_BITS = 10  # bits a key: one in a hundred look-ups of an absent key reads a block
TABLE_BYTES = 32 << 20  # bytes of one table file
LEVEL_BYTES = 128 << 20  # bytes of the first level that is sized; each next is ten times larger
BACKGROUND_JOBS = 2  # threads for flush and compaction; the machine has agents to run
LOG_FILES = 4  # of the engine's own diagnostics
LOG_BYTES = 1 << 20

# Free bytes below which a failed engine is not reopened, since that would fail half way and end the reads that still
# work: opening writes the memtables as table files, and a new manifest.
REOPEN_BYTES = 2 * MEMTABLES * MEMTABLE_BYTES
REOPEN_TRIES = 100  # attempts, while readers in other threads leave the old handle
QUIET_SECONDS = 30.0  # how long a backup waits for a moment between two commits
REOPEN_PAUSE = 0.05  # seconds between them

STRIDE = 128  # entries read per turn of a shared iterator, so that no reader keeps the others waiting

SIZE_LIMIT = 1 << 30  # bytes of one value


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
        self._current: _Held | None = _Held(self._database)

    def _open(self) -> Rdict:
        access = AccessType.read_only(False) if self._read_only else AccessType.read_write()
        options = _options(create=self._create)
        families = {"default": options}  # else a database that exists is opened with the driver's own
        return _call(lambda: Rdict(str(self._path), options, families, access_type=access))

    def _live(self) -> Rdict:
        database = self._database
        if database is None:
            raise StoreClosed
        return database

    # --- reads ---------------------------------------------------------------------------------------------------

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        database = self._live()
        return _call(lambda: database.get(key))

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        get = self._live().get
        # One by one: the driver's own list call costs more than it saves, and what a plan asks for is mostly absent.
        return _call(lambda: [get(key) for key in keys])

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        return _range(self._live(), lower, upper, reverse=reverse, limit=limit)

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        keys: Any = self._live().keys(from_key=lower)
        return _call(lambda: sum(1 for _ in takewhile(upper.__gt__, keys)))

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
        _call(lambda: database.write(batch))

    def flush(self) -> None:
        """Make every write so far durable."""
        database = self._live()
        _call(lambda: database.flush_wal(True))

    def publish(self) -> None:
        """Let views made from now on see every write so far."""
        fresh = _Held(self._live())
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
        live = _call(lambda: database.property_int_value("rocksdb.estimate-live-data-size")) or 0
        tables = _call(lambda: database.property_int_value("rocksdb.total-sst-files-size")) or 0
        size = sum(entry.stat().st_size for entry in os.scandir(self._path) if entry.is_file())
        return Usage(bytes_on_disk=size, reclaimable=max(0, tables - live))

    def compact(self) -> None:
        """Write memtables out, then merge all table files."""
        database = self._live()
        _call(lambda: database.flush(True))
        _call(lambda: database.compact_range(None, None))
        with self._quiet(), self._lock:  # the published state holds the old files
            if self._current is not None:
                self._current = _Held(database)

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
        _call(
            lambda: database.flush(True)
        )  # before the lock, and without the interpreter's, which the next call holds
        with self._quiet():
            _call(lambda: Checkpoint(database).create_checkpoint(str(path)))

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
                _call(database.close)
            except StoreError:
                # It repeats the failure that stopped it, or could not write its memory out, which the write-ahead file
                # holds. Letting go of it closes it all the same.
                del database


class _Held:
    """A published state in the driver's terms, which all its views lose at once when the database closes."""

    __slots__ = ("iterator", "lock", "snapshot")

    def __init__(self, database: Rdict) -> None:
        self.snapshot: Snapshot | None = database.snapshot()
        self.iterator: RdictIter | None = database.iter()
        self.lock = threading.Lock()  # over the iterator, which has one place at a time

    def end(self) -> None:
        self.snapshot = None
        with self.lock:
            self.iterator = None

    def walk(
        self, lower: bytes, upper: bytes, *, reverse: bool, limit: int, values: bool = True
    ) -> list[tuple[bytes, bytes]]:
        """Return the first entries of a range, at most `limit`; without `values`, these are empty."""
        with self.lock:
            iterator: Any = self.iterator
            if iterator is None:
                raise StoreClosed
            return _call(lambda: _walked(iterator, lower, upper, reverse, limit, values))


class RocksView:
    """One published state of a RocksDB engine."""

    __slots__ = ("_held",)

    def __init__(self, held: _Held) -> None:
        """Read from a held state."""
        self._held: _Held | None = held

    def _live(self) -> _Held:
        if self._held is None:
            raise StoreClosed
        return self._held

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        return self.get_many((key,))[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        snapshot = self._live().snapshot
        if snapshot is None:
            raise StoreClosed
        return [_look_up(snapshot, key) for key in keys]

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        found = list[tuple[bytes, bytes]]()
        while lower < upper and len(found) < limit:
            wanted = min(STRIDE, limit - len(found))
            some = self._live().walk(lower, upper, reverse=reverse, limit=wanted)
            found += some
            if len(some) < wanted:
                break
            if reverse:
                upper = some[-1][0]
            else:
                lower = some[-1][0] + b"\x00"  # the smallest key behind it
        return found

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        total = 0
        while lower < upper:
            some = self._live().walk(lower, upper, reverse=False, limit=STRIDE, values=False)
            total += len(some)
            if len(some) < STRIDE:
                break
            lower = some[-1][0] + b"\x00"
        return total

    def close(self) -> None:
        """Release the state."""
        self._held = None


def _walked(
    iterator: Any, lower: bytes, upper: bytes, reverse: bool, limit: int, values: bool
) -> list[tuple[bytes, bytes]]:
    valid, key, value = iterator.valid, iterator.key, iterator.value
    step = iterator.prev if reverse else iterator.next
    if reverse:
        iterator.seek_for_prev(upper)
        if valid() and key() == upper:
            step()
    else:
        iterator.seek(lower)
    found = list[tuple[bytes, bytes]]()
    while valid():
        at = key()
        if not lower <= at < upper:
            return found
        found.append((at, value() if values else b""))
        if len(found) >= limit:
            return found
        step()
    iterator.status()  # raises what ended it early, such as damage
    return found


def _options(*, create: bool) -> Options:
    table = BlockBasedOptions()
    table.set_block_cache(Cache(CACHE_BYTES))
    table.set_block_size(BLOCK_BYTES)
    table.set_bloom_filter(FILTER_BITS, False)
    # Filters and block indexes lie in the cache, in small parts: two whole filters of large files do not fit into one
    # of its 64 shards, so that nearly every look-up would read one anew (70 us in place of 1.8 us).
    table.set_cache_index_and_filter_blocks(True)
    table.set_index_type(BlockBasedIndexType.two_level_index_search())
    table.set_partition_filters(True)
    table.set_metadata_block_size(PART_BYTES)
    table.set_pin_top_level_index_and_filter(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)
    table.set_format_version(5)
    options = Options(raw_mode=True)
    options.create_if_missing(create)
    options.set_block_based_table_factory(table)
    options.set_write_buffer_size(MEMTABLE_BYTES)
    options.set_max_write_buffer_number(MEMTABLES)
    options.set_target_file_size_base(TABLE_BYTES)
    options.set_max_bytes_for_level_base(LEVEL_BYTES)
    options.set_level_compaction_dynamic_level_bytes(True)
    options.set_max_background_jobs(BACKGROUND_JOBS)
    options.set_max_open_files(OPEN_FILES)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_bottommost_compression_type(DBCompressionType.zstd())
    options.set_bytes_per_sync(1 << 20)
    options.set_keep_log_file_num(LOG_FILES)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_max_log_file_size(LOG_BYTES)
    return options


def _look_up(snapshot: Snapshot, key: bytes) -> bytes | None:
    try:
        return snapshot[key]
    except Exception as error:  # the driver raises nothing else, also for an absent key
        if str(error) == "key not found":
            return None
        raise _translated(error) from error


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

    _call(collect)
    return found


def _call(action: Callable[[], T]) -> T:
    """Run a call of the driver with its failures translated."""
    try:
        return action()
    except Exception as error:  # the driver raises nothing else
        raise _translated(error) from error


def _translated(error: Exception) -> StoreError | ReadOnly:
    """Return the error of our tree for one of the driver's, told by its text."""
    if isinstance(error, StoreError | ReadOnly):
        return error
    if type(error).__name__ == "DbClosedError":
        return StoreClosed()
    text = str(error)
    for part, known in (
        (os.strerror(errno.ENOSPC), DiskFull),
        (os.strerror(errno.EDQUOT), DiskFull),
        ("lock hold by current process", StoreLocked),
        ("While lock file", StoreLocked),
        (os.strerror(errno.EROFS), ReadOnly),
        (os.strerror(errno.EACCES), ReadOnly),
        (os.strerror(errno.EPERM), ReadOnly),
        ("Corruption", Corrupt),
        ("checksum mismatch", Corrupt),
        ("Resource busy", TransientStoreError),
        ("Try again", TransientStoreError),
    ):
        if part in text:
            return known(engine="rocksdb")
    return StoreFailed(engine="rocksdb")
