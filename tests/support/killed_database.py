"""A host with a database, which opens it without waiting, writes, and is killed, again and again.

`killed_database.py FILE COUNT` prints how often it could not open it. The statements are those with which OpenCode 1.18
starts, in that order: only the third one has it wait for locks.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys

START = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA busy_timeout = 5000",
    "PRAGMA wal_checkpoint(PASSIVE)",
    "CREATE TABLE IF NOT EXISTS said (word text)",
)
ROWS = 50  # that each start adds
ENDS_BY_ITSELF = 3  # every third start closes the database, so that its log goes


def main(path: str, count: int) -> int:
    """Start so often; return 0."""
    failed = 0
    for number in range(count):
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            os.write(writing, _start(path, number))
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(writing)
        failed += os.read(reading, 1) != b"."
        os.close(reading)
    print(failed)
    return 0


def _start(path: str, number: int) -> bytes:
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None)
        for statement in START:
            connection.execute(statement).fetchall()
        connection.execute("PRAGMA synchronous = OFF")  # no power fails here
        connection.execute("BEGIN")
        rows = [(f"{number}.{row} " + "x" * 6000,) for row in range(ROWS)]
        connection.executemany("INSERT INTO said VALUES (?)", rows)
        connection.execute("COMMIT")
    except sqlite3.OperationalError:
        return b"!"
    if number % ENDS_BY_ITSELF == 0:
        connection.close()
    return b"."


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], int(sys.argv[2])))
