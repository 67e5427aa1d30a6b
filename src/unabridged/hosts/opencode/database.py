"""Sessions in the host's database, `opencode.db`."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from unabridged.errors import UnabridgedError
from unabridged.hosts.contract import RowStream
from unabridged.hosts.databases import has_table, opened
from unabridged.hosts.oneline import as_json, one_line
from unabridged.hosts.opencode.rows import (
    COLUMNS,
    MESSAGE,
    PART,
    SESSION,
    Key,
    session_line,
)

JSON_COLUMNS = frozenset(("revert", "permission", "model", "summary_diffs", "metadata"))


def has_sessions(path: Path) -> bool:
    """Tell whether a file is a database with this host's tables; False where it cannot be opened now."""
    try:
        with opened(path, locked=False) as connection:
            return all(has_table(connection, name) for name in (SESSION, MESSAGE, PART))
    except UnabridgedError:
        return False


def streams(path: Path) -> list[RowStream]:
    """Return all sessions; a version changes with each change that the host makes in the session."""
    with opened(path, locked=False) as connection:
        if has_table(connection, "event_sequence"):
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
