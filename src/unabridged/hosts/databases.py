"""A host's own database, read without ever holding the host up.

The connection is read-only, and each reading is one short transaction. The host may write meanwhile: it uses a
write-ahead log, so that readers see one state and writers go on.

Some hosts open their database without waiting for locks, and end where they meet one. So the log's index is never made
or recovered from here: that takes locks which the host needs at its start
(https://sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from unabridged.errors import NotATranscript, PathNotFound, PathUnreadable, TranscriptChanged
from unabridged.schema.ids import Micros

MAGIC = b"SQLite format 3\x00"
WAIT = 0.5  # seconds for a lock; a reader meets one only where the log is being recovered or the host locks everything
MODE_AT, LOGGED = 18, b"\x02"
COUNTER_AT, COUNTER_BYTES = 24, 4  # changes with each transaction of a database without a log
LOG, SHARED, JOURNAL = "-wal", "-shm", "-journal"  # what stands beside a database in use
AS_IT_IS = "&immutable=1"  # takes no locks and looks at no log
NO_RECOVERY = "&readonly_shm=1"  # an index that is not there or not whole is read from the log, into memory
# What another process is doing at this moment; SQLITE_READONLY: the log's index is to be recovered by who may write.
PASSING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_READONLY)


@contextmanager
def opened(path: Path, *, locked: bool = True) -> Generator[sqlite3.Connection]:
    """Open a database in one read-only transaction; raise a typed error where that cannot be done now or at all.

    locked: hold a lock on one without a log, for a host that waits for locks; else what was read counts only if nothing
    changed meanwhile.
    """
    before = _traces(path)
    way = _way(before, locked=locked)
    place = f"file:{quote(str(path))}?mode=ro{way}"
    try:
        with closing(sqlite3.connect(place, uri=True, timeout=WAIT, isolation_level=None)) as connection:
            connection.text_factory = _text
            connection.execute("PRAGMA query_only = 1")
            connection.execute("BEGIN")
            yield connection
    except sqlite3.OperationalError as error:
        _check(path, way, before)  # half a change is no other form
        raise _typed(path, error, changed=_traces(path) != before) from error
    except sqlite3.DatabaseError as error:
        _check(path, way, before)  # half a change is no damage
        raise NotATranscript("the database cannot be read", path=str(path)) from error
    _check(path, way, before)


def _text(data: bytes) -> str:
    """Return a text of a database: sqlite3 keeps whatever bytes it was given, and one odd row costs itself only."""
    return data.decode("utf-8", "replace")


class _Traces(NamedTuple):
    """What another process changes when it works with a database. Sizes in bytes, 0 where there is no such file."""

    logged: bool
    log: int
    shared: int
    journal: bool
    changed: tuple[int, int, bytes]  # size, time and count of changes of the file itself


def _traces(path: Path) -> _Traces:
    head, size, time = b"", 0, 0
    with suppress(OSError), path.open("rb") as file:
        head = file.read(COUNTER_AT + COUNTER_BYTES)
        stat = path.stat()
        size, time = stat.st_size, stat.st_mtime_ns
    return _Traces(
        head[MODE_AT : MODE_AT + 1] == LOGGED,
        _size(_beside(path, LOG)),
        _size(_beside(path, SHARED)),
        _beside(path, JOURNAL).exists(),
        (size, time, head[COUNTER_AT:]),
    )


def _way(found: _Traces, *, locked: bool) -> str:
    """Return how a database is to be opened, as a part of its address."""
    if not found.logged:
        return "" if locked or found.journal else AS_IT_IS
    if not found.log:
        return AS_IT_IS
    return NO_RECOVERY if found.shared else ""  # a copy without an index, which nobody has open


def _check(path: Path, way: str, before: _Traces) -> None:
    """Raise `TranscriptChanged` where something was changed that was read without a lock."""
    if way != AS_IT_IS:
        return
    after = _traces(path)
    if (after.changed, after.log, after.journal) != (before.changed, before.log, before.journal):
        raise TranscriptChanged(
            "the database was opened by another process while it was read", path=str(path)
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _typed(path: Path, error: sqlite3.OperationalError, *, changed: bool) -> Exception:
    code = error.sqlite_errorcode & 0xFF
    if code in PASSING or (changed and code == sqlite3.SQLITE_CANTOPEN):  # its log or the index has just gone
        return TranscriptChanged("the database is locked by another process", path=str(path))
    if not path.exists():
        return PathNotFound(path=str(path))
    if code == sqlite3.SQLITE_ERROR:  # a table or column that is not there
        return NotATranscript("the database has another form than is known", path=str(path))
    return PathUnreadable("the database cannot be opened", path=str(path))


def last_change(path: Path) -> Micros:
    """Return when a database or its log was last written to, in microseconds; 0 where that is not known."""
    newest = 0
    for file in (path, _beside(path, LOG)):
        with suppress(OSError):
            newest = max(newest, file.stat().st_mtime_ns // 1000)
    return Micros(newest)


def is_database(head: bytes) -> bool:
    """Tell from its first bytes whether a file is such a database."""
    return head.startswith(MAGIC)


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Tell whether there is a table of that name."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))
    return found.fetchone() is not None
