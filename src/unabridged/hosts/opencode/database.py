"""Sessions in the host's database, `opencode.db`, read without ever holding it up.

The connection is read-only, and each reading is one short transaction. The host may write meanwhile: it uses a
write-ahead log, so that readers see one state and writers go on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from unabridged.errors import NotATranscript, PathNotFound, PathUnreadable, TranscriptChanged, UnabridgedError
from unabridged.hosts.contract import RowStream
from unabridged.hosts.opencode.rows import (
    COLUMNS,
    MESSAGE,
    PART,
    SESSION,
    Key,
    as_json,
    one_line,
    session_line,
)

MAGIC = b"SQLite format 3\x00"
WAIT = 0.5  # seconds for a lock; a reader meets one only where the log is being recovered or the host locks everything
JSON_COLUMNS = frozenset(("revert", "permission", "model", "summary_diffs", "metadata"))
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


def is_database(head: bytes) -> bool:
    """Tell from its first bytes whether a file is a database of this host."""
    return head.startswith(MAGIC)


def has_sessions(path: Path) -> bool:
    """Tell whether a file is a database with this host's tables; False where it cannot be opened now."""
    try:
        with opened(path) as connection:
            return all(_has_table(connection, name) for name in (SESSION, MESSAGE, PART))
    except UnabridgedError:
        return False


def streams(path: Path) -> list[RowStream]:
    """Return all sessions; a version changes with each change that the host makes in the session."""
    with opened(path) as connection:
        if _has_table(connection, "event_sequence"):
            found = connection.execute(
                "SELECT s.id, s.time_updated, e.seq FROM session s"
                " LEFT JOIN event_sequence e ON e.aggregate_id = s.id ORDER BY s.id"
            ).fetchall()
        else:
            found = connection.execute("SELECT id, time_updated, NULL FROM session ORDER BY id").fetchall()
        return [
            RowStream(name, f"{updated}.{_counted(connection, name) if number is None else number}")
            for name, updated, number in found
        ]


def _counted(connection: sqlite3.Connection, session: str) -> str:
    """Return what changes with a session's rows, where the host does not count its changes."""
    parts = connection.execute(
        "SELECT count(*), max(time_updated) FROM part WHERE session_id = ?", (session,)
    ).fetchone()
    messages = connection.execute(
        "SELECT count(*), max(time_updated) FROM message WHERE session_id = ?", (session,)
    ).fetchone()
    return ".".join(str(value) for value in (*parts, *messages))


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))
    return found.fetchone() is not None


class Session:
    """One session, within one transaction; see `feed.Source`."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        """Read session `name`."""
        self.name = name
        self._connection = connection

    def session(self) -> bytes:
        """Return the session's columns as a line; columns that hold JSON as JSON."""
        cursor = self._connection.execute("SELECT * FROM session WHERE id = ?", (self.name,))
        names = [column[0] for column in cursor.description]
        values = cursor.fetchone() or ()
        columns = sorted(zip(names, values, strict=False))
        return session_line(self.name, b"{" + b",".join(map(_column, columns)) + b"}", COLUMNS)

    def keys(self) -> list[Key]:
        """Return all rows in the order of the conversation."""
        parts: dict[str, list[tuple[str, int]]] = {}
        for row, message, changed in self._connection.execute(
            "SELECT id, message_id, time_updated FROM part WHERE session_id = ? ORDER BY id", (self.name,)
        ):
            parts.setdefault(message, []).append((row, changed or 0))
        found: list[Key] = []
        for message, created, changed in self._connection.execute(
            "SELECT id, time_created, time_updated FROM message WHERE session_id = ? ORDER BY time_created, id",
            (self.name,),
        ):
            found += (Key(PART, row, message, created or 0, at) for row, at in parts.pop(message, ()))
            found.append(Key(MESSAGE, message, message, created or 0, changed or 0))
        lost = (Key(PART, row, message, 0, at) for message, rows in parts.items() for row, at in rows)
        return [*lost, *found]

    def data(self, table: str, row: str) -> bytes:
        """Return a row's data."""
        query = (
            "SELECT data FROM message WHERE id = ?"
            if table == MESSAGE
            else "SELECT data FROM part WHERE id = ?"
        )
        found = self._connection.execute(query, (row,)).fetchone()
        value: Any = found[0] if found else "null"
        return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def _column(column: tuple[str, Any]) -> bytes:
    """Return a column as a member of a JSON object."""
    name, value = column
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    inner = name in JSON_COLUMNS and isinstance(value, str) and value
    return (
        as_json(name) + b":" + (one_line(value.encode("utf-8", "surrogatepass")) if inner else as_json(value))
    )
