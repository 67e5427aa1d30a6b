"""A host's own database, read without ever holding the host up.

The connection is read-only, and each reading is one short transaction. The host may write meanwhile: it uses a
write-ahead log, so that readers see one state and writers go on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from unabridged.errors import NotATranscript, PathNotFound, PathUnreadable, TranscriptChanged
from unabridged.schema.ids import Micros

MAGIC = b"SQLite format 3\x00"
WAIT = 0.5  # seconds for a lock; a reader meets one only where the log is being recovered or the host locks everything
MODE_AT, LOGGED = 18, b"\x02"
LOG, SHARED = "-wal", "-shm"  # what stands beside a database in use


@contextmanager
def opened(path: Path) -> Generator[sqlite3.Connection]:
    """Open a database in one read-only transaction; raise a typed error where that cannot be done now or at all."""
    # Without its log nobody has the database open: read it as it is, instead of making a log.
    alone = _is_logged(path) and not _beside(path, LOG).exists() and not _beside(path, SHARED).exists()
    place = f"file:{quote(str(path))}?mode=ro" + ("&immutable=1" if alone else "")
    try:
        with closing(sqlite3.connect(place, uri=True, timeout=WAIT, isolation_level=None)) as connection:
            connection.execute("PRAGMA query_only = 1")
            connection.execute("BEGIN")
            yield connection
    except sqlite3.OperationalError as error:
        raise _typed(path, error) from error
    except sqlite3.DatabaseError as error:
        raise NotATranscript("the database cannot be read", path=str(path)) from error
    if alone and _beside(path, LOG).exists():
        raise TranscriptChanged(
            "the database was opened by another process while it was read", path=str(path)
        )


def _is_logged(path: Path) -> bool:
    """Tell whether a database uses a write-ahead log (https://sqlite.org/fileformat.html, offset 18)."""
    try:
        with path.open("rb") as file:
            return file.read(MODE_AT + 1)[MODE_AT:] == LOGGED
    except OSError:
        return False


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _typed(path: Path, error: sqlite3.OperationalError) -> Exception:
    code = error.sqlite_errorcode & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
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
