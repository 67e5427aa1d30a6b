"""The recorded database of OpenCode 1.18.33, and sessions made by hand."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head, Line
from unabridged.hosts.opencode import HOST

RECORDED = Path(__file__).parents[1] / "fixtures" / "opencode"
MAIN = "ses_dd65a04d2ffePPt4rtvdVs8Azi"  # with a tool, a subagent and a compaction
SIDE = "ses_dd65950a6ffe38iSoP6ElKU90h"  # the subagent's
FORK = "ses_dd6581902ffeKebATlkQXm3KzD"
SIZE = {MAIN: 53, SIDE: 7}  # lines, with the session's own


def database(folder: Path) -> Path:
    """The recorded database, in the state that the client left it: with a write-ahead log."""
    path = folder / "opencode.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.executescript(f"BEGIN; {(RECORDED / 'opencode.sql').read_text()} COMMIT;")
    connection.close()
    return path


class Hand:
    """A database with one session, written row by row; every change has a later time."""

    def __init__(self, path: Path, session: str = "ses_hand", **columns: Any) -> None:
        self.path, self.session = path, session
        self.now = 1_700_000_000_000
        script = (RECORDED / "opencode.sql").read_text()
        schema = "\n".join(line for line in script.splitlines() if line.startswith("CREATE"))
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            f"PRAGMA journal_mode = wal; PRAGMA synchronous = off; BEGIN; {schema} COMMIT;"
        )
        row = {
            "id": session,
            "project_id": "global",
            "slug": "s",
            "directory": "/home/dev/app",
            "title": "By hand",
            "version": "1.18.33",
            "time_created": self.now,
            "time_updated": self.now,
            **columns,
        }
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self.connection.execute(f"INSERT INTO session ({names}) VALUES ({marks})", list(row.values()))

    def _tick(self) -> int:
        self.now += 1
        return self.now

    def message(self, name: str, role: str, **data: Any) -> None:
        """Write a message; an assistant's is finished only with `time={"completed": …}`."""
        created = self.created(name)
        body = {"role": role, **data, "time": {"created": created, **data.get("time", {})}}
        self.put("message", name, body, {"time_created": created})

    def created(self, name: str) -> int:
        """When a message was begun: its number behind the letters."""
        return 1_700_000_000_000 + int("".join(letter for letter in name if letter.isdigit()) or 0)

    def part(self, message: str, name: str, kind: str, **data: Any) -> None:
        """Write a part."""
        self.put("part", name, {"type": kind, **data}, {"message_id": message, "time_created": self.now})

    def put(self, table: str, name: str, data: Any, columns: dict[str, Any]) -> None:
        """Write a row; a string is its data as it is."""
        body = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
        row = {"id": name, "session_id": self.session, **columns, "time_updated": self._tick(), "data": body}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self.connection.execute(
            f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", list(row.values())
        )

    def change(self, **columns: Any) -> None:
        """Change the session's row."""
        sets = ", ".join(f"{name} = ?" for name in columns)
        self.connection.execute(f"UPDATE session SET {sets}", list(columns.values()))

    def delete(self, table: str, name: str) -> None:
        """Delete a row."""
        self.connection.execute(f"DELETE FROM {table} WHERE id = ?", (name,))

    def look(self, state: bytes = b"") -> tuple[list[bytes], bytes]:
        """One call of `rows`."""
        return HOST.rows(self.path, self.session, state)


def rows(path: Path, session: str, state: bytes = b"") -> tuple[list[bytes], bytes]:
    """All rows that several calls give, with the last state."""
    lines: list[bytes] = []
    while True:
        more, state = HOST.rows(path, session, state)
        if not more:
            return lines, state
        lines += more


def names(lines: Sequence[bytes]) -> list[str]:
    """The ids of parts and messages in lines."""
    found = [json.loads(line) for line in lines]
    return [row["id"] for row in found if row["table"] in ("part", "message")]


def read(lines: Sequence[bytes]) -> tuple[Head, list[Line]]:
    """What lines say."""
    head = HOST.head(Path("x"), lines)
    assert head is not None
    reader = HOST.reader("x", head, b"", 1)
    return head, [reader.read(line.rstrip(b"\n"), number) for number, line in enumerate(lines, 1)]


def blocks(lines: Sequence[bytes]) -> list[Block]:
    """The blocks of lines."""
    return [block for line in read(lines)[1] for block in line.blocks]


def said(lines: Sequence[bytes]) -> list[tuple[str, str, int, str]]:
    """What lines say, shortly: kind, role, flags, text."""
    return [(block.kind, block.role, block.flags, text_of(block)) for block in blocks(lines)]
