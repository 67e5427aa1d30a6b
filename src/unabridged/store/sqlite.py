"""The SQLite engine: one table of keys and values, in a file of its own.

Writes stay in an open transaction of the writer's connection until `flush` commits it; other connections see what is
committed, so a view is a read transaction on a connection of its own, made when it is asked for. Nothing holds one for
longer than its users do: a read transaction that is always open would keep the write-ahead file from starting anew.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw

from unabridged.errors import (
    Corrupt,
    DiskFull,
    ReadOnly,
    StoreClosed,
    StoreFailed,
    StoreMissing,
    TransientStoreError,
    UnabridgedError,
)
from unabridged.store.bytes import Change
from unabridged.store.contract import Capabilities, Usage

T = TypeVar("T")
Connection = Any  # apsw.Connection, whose declarations name types that this Python does not have

FILE = "records.sqlite"
PAGE_BYTES = (
    8_192  # bytes; larger pages keep more of a chunk together, smaller ones cost less for a small commit
)
WRITER_CACHE = (
    16 << 20
)  # bytes of pages; also what a commit may hold before it spills into the write-ahead file
READER_CACHE = 2 << 20  # bytes of pages of one view's connection
IDLE_READERS = 4  # connections kept for the next view
CHECKPOINT_PAGES = 1_024  # pages (8 MiB) in the write-ahead file after which they are moved to the main file
TRUNCATE_PAGES = (
    8 * CHECKPOINT_PAGES
)  # pages after which readers are waited for, so that the file starts anew
BUSY_MILLISECONDS = 100  # how long a checkpoint waits for readers
REOPEN_BYTES = 8 << 20  # free bytes below which the database is not opened again after a failure
SIZE_LIMIT = 999_000_000  # bytes of one value; SQLite's own limit is 10**9 for a row

GET = "SELECT v FROM map WHERE k = ?"
COUNT = "SELECT count(*) FROM map WHERE k >= ? AND k < ?"
RANGE = "SELECT k, v FROM map WHERE k >= ? AND k < ? ORDER BY k LIMIT ?"
RANGE_BACK = "SELECT k, v FROM map WHERE k >= ? AND k < ? ORDER BY k DESC LIMIT ?"
PUT = "INSERT INTO map (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v"
DELETE = "DELETE FROM map WHERE k = ?"

_FAILURES: tuple[tuple[type[Exception], type[UnabridgedError]], ...] = (
    (apsw.FullError, DiskFull),
    (apsw.CorruptError, Corrupt),
    (apsw.NotADBError, Corrupt),
    (apsw.BusyError, TransientStoreError),
    (apsw.LockedError, TransientStoreError),
    (apsw.ReadOnlyError, ReadOnly),
    (apsw.PermissionsError, ReadOnly),
    (apsw.ConnectionClosedError, StoreClosed),
    (apsw.CursorClosedError, StoreClosed),
)


class _Reads:
    """Reads through one connection."""

    def _connection(self) -> Connection:
        raise NotImplementedError

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        return self._run(lambda db: db.execute(GET, (key,)).get)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        return self._run(lambda db: [db.execute(GET, (key,)).get for key in keys])

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        statement = RANGE_BACK if reverse else RANGE
        return self._run(lambda db: db.execute(statement, (lower, upper, limit)).fetchall())

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        return self._run(lambda db: db.execute(COUNT, (lower, upper)).get)

    def _run(self, action: Callable[[Connection], Any]) -> Any:
        return _call(lambda: action(self._connection()))


class SqliteEngine(_Reads):
    """One SQLite database."""

    def __init__(self, path: Path, *, create: bool = False, read_only: bool = False) -> None:
        """Open the database in a folder of its own; `create` makes it when it is absent."""
        self._file = path / FILE
        if create:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file.touch(mode=0o600)  # SQLite gives its other files the same mode
        elif not self._file.exists():
            raise StoreMissing("the store's data is gone", path=str(path))
        self._read_only = read_only
        self.capabilities = Capabilities(
            engine="sqlite",
            durable=True,
            shared=False,
            backup=True,
            compact=True,
            max_value_bytes=SIZE_LIMIT,
        )
        self._wal_pages = 0
        self._visible = True
        self._lock = threading.Lock()  # over `_current` and `_idle`
        self._current: _Held | None = None
        self._idle: list[Connection] = []
        self._database: Connection | None = self._open_writer()

    def _open_writer(self) -> Connection:
        return _call(self._opened_reader if self._read_only else self._opened_writer)

    def _opened_writer(self) -> Connection:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        database: Connection = apsw.Connection(str(self._file), flags=flags)
        database.set_busy_timeout(BUSY_MILLISECONDS)
        database.pragma("page_size", PAGE_BYTES)
        database.pragma("auto_vacuum", 2)  # incremental; takes effect on a new file only
        if database.pragma("journal_mode", "wal") != "wal":
            database.close()
            raise StoreFailed("the file system cannot keep a write-ahead file", engine="sqlite")
        database.pragma("synchronous", "full")
        database.pragma("fullfsync", 1)  # macOS: through the drive's cache
        database.pragma("cache_size", -WRITER_CACHE // 1024)
        database.execute("CREATE TABLE IF NOT EXISTS map (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID")
        database.set_wal_hook(self._committed)
        return database

    def _opened_reader(self) -> Connection:
        name = str(self._file)
        flags = apsw.SQLITE_OPEN_READONLY
        wal = self._file.with_name(FILE + "-wal")
        if self._read_only and not (wal.exists() and wal.stat().st_size):
            # Nothing waits in a write-ahead file, so none has to be made: the folder may be read-only.
            name, flags = f"{self._file.absolute().as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI
        database: Connection = apsw.Connection(name, flags=flags)
        database.set_busy_timeout(BUSY_MILLISECONDS)
        database.pragma("cache_size", -READER_CACHE // 1024)
        return database

    def _committed(self, database: Connection, name: str, pages: int) -> int:
        del database, name
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _connection(self) -> Connection:
        if self._database is None:
            raise StoreClosed
        return self._database

    # --- writes --------------------------------------------------------------------------------------------------

    def write(self, changes: Sequence[Change]) -> None:
        """Apply changes in the open transaction."""
        if self._read_only:
            raise ReadOnly(path=str(self._file))
        database = self._connection()
        puts = [(key, value) for key, value in changes if value is not None]
        deletes = [(key,) for key, value in changes if value is None]
        if len({key for key, _ in changes}) != len(changes):  # a key twice: the order matters
            puts, deletes = _last(changes)

        def apply() -> None:
            if not database.in_transaction:
                database.execute("BEGIN IMMEDIATE")
            if deletes:
                database.executemany(DELETE, deletes)
            if puts:
                database.executemany(PUT, puts)

        _call(apply)

    def flush(self) -> None:
        """Commit the open transaction."""
        database = self._connection()
        if database.in_transaction:
            if self._visible:
                self.view().close()  # holds the state before the commit, which views see until `publish`
            _call(lambda: database.execute("COMMIT"))

    def publish(self) -> None:
        """Let views made from now on see every write so far; keep the write-ahead file short."""
        with self._lock:
            current, self._current = self._current, None
            self._visible = True
        if current is not None:
            current.release()
        if self._wal_pages >= CHECKPOINT_PAGES and not self._connection().in_transaction:
            self._checkpoint()

    def _checkpoint(self) -> None:
        truncate = self._wal_pages >= TRUNCATE_PAGES
        mode = apsw.SQLITE_CHECKPOINT_TRUNCATE if truncate else apsw.SQLITE_CHECKPOINT_PASSIVE
        try:
            self._connection().wal_checkpoint(mode=mode)
        except apsw.Error:
            # Readers are still there, or the disk is full. All is in the write-ahead file, and the next commit tries.
            return
        if truncate:
            self._wal_pages = 0

    def view(self) -> SqliteView:
        """Return what is committed, in a read transaction that all views until the next `publish` share."""
        self._connection()
        with self._lock:
            if not self._visible:
                raise TransientStoreError("the store is being reopened")
            if self._current is None or not self._current.acquire():
                self._current = _Held(self, _call(self._begun))
                self._current.acquire()
            return SqliteView(self._current)

    def _begun(self) -> Connection:
        database = self._idle.pop() if self._idle else self._opened_reader()
        database.execute("BEGIN")
        _ = database.execute(GET, (b"",)).get  # a read transaction begins with its first read
        return database

    def recycle(self, database: Connection) -> None:
        """Take back the connection of a view that nobody uses any more."""
        _call(lambda: database.execute("ROLLBACK"))
        with self._lock:
            if self._database is not None and len(self._idle) < IDLE_READERS:
                self._idle.append(database)
                return
        database.close()

    def reopen(self) -> None:
        """Drop the open transaction; where even that fails, drop every connection, and open again.

        A connection works on after a failed commit, whose pages the next one overwrites. Closing it on a full disk
        would be for nothing: opening needs room for its index of the write-ahead file.
        """
        if self._rolled_back():
            return
        free = shutil.disk_usage(self._file.parent).free
        if free < REOPEN_BYTES:
            raise DiskFull(path=str(self._file.parent), free=free, needed=REOPEN_BYTES)
        self._shut()
        self._visible = False
        self._database = self._open_writer()

    def _rolled_back(self) -> bool:
        database = self._database
        try:
            if database is None:
                return False
            if database.in_transaction:
                database.execute("ROLLBACK")
            _ = database.execute(GET, (b"",)).get
        except apsw.Error:
            return False
        return True

    def usage(self) -> Usage:
        """Return the bytes of the files, and those of free pages."""
        size = sum(entry.stat().st_size for entry in self._file.parent.iterdir())
        free = self._run(lambda db: db.pragma("freelist_count") * db.pragma("page_size"))
        return Usage(bytes_on_disk=size, reclaimable=free)

    def warm(self) -> None:
        """Do nothing: the first commit is as quick as any."""

    def compact(self) -> None:
        """Give free pages at the end of the file back."""

        def shrink() -> None:
            database: Connection = apsw.Connection(str(self._file), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                database.set_busy_timeout(60_000)  # milliseconds; commits come in between
                database.pragma("incremental_vacuum")
            finally:
                database.close()

        _call(shrink)

    def backup(self, path: Path) -> None:
        """Write the committed state, compacted, into an absent folder."""
        path.mkdir(mode=0o700, parents=True)

        def copy() -> None:
            database = self._opened_reader()
            try:
                database.execute("VACUUM INTO ?", (str(path / FILE),))
            finally:
                database.close()

        _call(copy)

    def close(self) -> None:
        """Close; views end."""
        self._shut()

    def _shut(self) -> None:
        with self._lock:
            database, self._database = self._database, None
            current, self._current = self._current, None
            idle, self._idle = self._idle, []
        if current is not None:
            current.end()
        for connection in idle:
            connection.close()
        if database is not None:
            if database.in_transaction:
                _call(lambda: database.execute("ROLLBACK"))
            database.close()


class _Held:
    """A read transaction with a count of its users, the engine being one until the next `publish`."""

    def __init__(self, engine: SqliteEngine, database: Connection) -> None:
        self._engine = engine
        self._database: Connection | None = database
        self._users = 1
        self.lock = threading.Lock()  # a connection serves one thread at a time

    def acquire(self) -> bool:
        with self.lock:
            if self._database is None:
                return False
            self._users += 1
            return True

    def release(self) -> None:
        with self.lock:
            self._users -= 1
            if self._users or self._database is None:
                return
            database, self._database = self._database, None
        self._engine.recycle(database)

    def end(self) -> None:
        with self.lock:
            database, self._database = self._database, None
        if database is not None:
            database.close()

    def live(self) -> Connection:
        if self._database is None:
            raise StoreClosed
        return self._database


class SqliteView(_Reads):
    """One committed state of an SQLite engine."""

    def __init__(self, held: _Held) -> None:
        """Read through a held transaction, which the caller acquired."""
        self._held: _Held | None = held

    def _run(self, action: Callable[[Connection], Any]) -> Any:
        held = self._held
        if held is None:
            raise StoreClosed
        with held.lock:
            database = held.live()
            return _call(lambda: action(database))

    def close(self) -> None:
        """Release the state."""
        held, self._held = self._held, None
        if held is not None:
            held.release()


def _last(changes: Sequence[Change]) -> tuple[list[tuple[bytes, bytes]], list[tuple[bytes]]]:
    """Return the puts and deletes that are left when only the last change of each key counts."""
    final = dict(changes)
    return (
        [(key, value) for key, value in final.items() if value is not None],
        [(key,) for key, value in final.items() if value is None],
    )


def _call(action: Callable[[], T]) -> T:
    """Run a call of the driver with its failures translated."""
    try:
        return action()
    except apsw.Error as error:
        raise _translated(error) from error


def _translated(error: apsw.Error) -> UnabridgedError:
    """Return the error of our tree for one of SQLite's, without its text, which may hold a path or a value."""
    for theirs, ours in _FAILURES:
        if isinstance(error, theirs):
            return ours(engine="sqlite")
    if isinstance(error, apsw.CantOpenError):
        return ReadOnly("the database file cannot be opened", engine="sqlite")
    return StoreFailed(engine="sqlite", result=getattr(error, "extendedresult", 0))
