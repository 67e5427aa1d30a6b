"""The rival of imports: what a tool does that keeps all text of transcripts in SQLite and searches it with FTS5.

`python -m unabridged.bench.importrival DATABASE FILE…` inserts the text of every block of every line, with
synchronous=FULL and one transaction a file, and prints what that took as JSON.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from unabridged.bench import processes
from unabridged.bench.home import tree_size
from unabridged.errors import DaemonUnavailable

TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE blocks(id INTEGER PRIMARY KEY, file TEXT, line INTEGER, uuid TEXT, role TEXT, time TEXT, text TEXT);
CREATE VIRTUAL TABLE words USING fts5(text, content='blocks', content_rowid='id', tokenize='porter unicode61');
"""
ROW = "INSERT INTO blocks(file, line, uuid, role, time, text) VALUES (?, ?, ?, ?, ?, ?)"
WORDS = "INSERT INTO words(rowid, text) VALUES (?, ?)"
SOURCE_FIELDS = ("text", "thinking", "content")  # of a content block, which hold its text


def measured(folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Run it in a process and a folder of its own; return what it prints."""
    own = folder / "rival"
    own.mkdir()
    command = [sys.executable, "-P", "-m", "unabridged.bench.importrival", str(own / "rival.db")]
    done = subprocess.run([*command, *map(str, files)], stdout=subprocess.PIPE, check=False)
    shutil.rmtree(own)
    if done.returncode:
        raise DaemonUnavailable("the rival's import failed", status=done.returncode)
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def run(database: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Insert transcripts; return seconds, bytes read, blocks, peak private memory, bytes on disk."""
    started, size, blocks = time.perf_counter(), 0, 0
    with processes.Peak(lambda: [processes.own()]) as peak:
        db = sqlite3.connect(database, isolation_level=None)
        db.executescript(TABLES)
        for path in files:
            db.execute("BEGIN")
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    size += len(line)
                    blocks += _insert(db, str(path), number, line)
            db.execute("COMMIT")
        db.close()
    return {
        "seconds": time.perf_counter() - started,
        "bytes": size,
        "blocks": blocks,
        "peak_private_bytes": peak.private,
        "disk_bytes": tree_size(database.parent),
    }


def _insert(db: sqlite3.Connection, path: str, number: int, line: bytes) -> int:
    row: Any = json.loads(line)
    if not isinstance(row, dict):
        return 0
    fields = cast("dict[str, Any]", row)
    message: Any = fields.get("message")
    if not isinstance(message, dict):
        return 0
    role, content = str(message.get("role")), message.get("content")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType, reportUnknownVariableType]
    count = 0
    for text in texts(content):
        values = (path, number, fields.get("uuid"), role, fields.get("timestamp"), text)
        db.execute(WORDS, (db.execute(ROW, values).lastrowid, text))
        count += 1
    return count


def texts(content: Any) -> Iterator[str]:
    """Yield the text of each content block of a message."""
    if isinstance(content, str):
        yield content
        return
    for block in cast("list[Any]", content) if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        fields = cast("dict[str, Any]", block)
        found: Any = next((fields[name] for name in SOURCE_FIELDS if name in fields), fields.get("input"))
        if isinstance(found, str):
            yield found
        elif isinstance(found, list):
            yield "\n".join(texts(found))
        elif found is not None:
            yield json.dumps(found, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])))
