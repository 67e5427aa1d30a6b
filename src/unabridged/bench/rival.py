"""The rival: SQLite behind a Unix socket and a queue like the daemon's, without anything else that a daemon does.

`python -m unabridged.bench.rival SOCKET [DATABASE]` prints a line when it listens and ends with its standard input.
Writes are taken from a queue by one thread, all that wait at once in one transaction (WAL, synchronous=FULL), and
answered after its commit. Reads have a connection and a thread of their own. `ping` is answered on the event loop.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, cast

import msgspec
import uvloop

from unabridged.bench.home import end
from unabridged.bench.wire import Connection
from unabridged.errors import DaemonUnavailable

BACKLOG = 64
MOST_COMMIT = 1_000  # writes of one transaction
FIND = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
TEXT = "SELECT text FROM windows WHERE id = ?"
TEXTS = "SELECT text FROM windows WHERE id BETWEEN ? AND ?"
PUT = "INSERT INTO turns(request, text) VALUES (?, ?)"
INDEX = "INSERT INTO turn_words(rowid, text) VALUES (?, ?)"
TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS turns(id INTEGER PRIMARY KEY, request TEXT UNIQUE, text TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS turn_words
    USING fts5(text, content='turns', content_rowid='id', tokenize='porter unicode61');
"""

Answer = Callable[[Any], None]


class Writer(threading.Thread):
    """Commits what is put, in groups."""

    def __init__(self, database: str) -> None:
        """Write to a database file."""
        super().__init__(name="writer", daemon=True)
        self.queue = SimpleQueue[tuple[dict[str, Any], Answer]]()
        self._database = database

    def run(self) -> None:
        """Take everything that waits, commit it, answer it."""
        db = sqlite3.connect(self._database, isolation_level=None)
        db.executescript(TABLES)
        db.execute("PRAGMA synchronous = FULL")
        while True:
            group = [self.queue.get()]
            try:
                while len(group) < MOST_COMMIT:
                    group.append(self.queue.get_nowait())
            except Empty:
                pass
            db.execute("BEGIN")
            ids = [self._put(db, params) for params, _ in group]
            db.execute("COMMIT")
            for number, (_, answer) in zip(ids, group, strict=True):
                answer({"id": number})

    def _put(self, db: sqlite3.Connection, params: dict[str, Any]) -> int:
        number = db.execute(PUT, (params["request"], params["text"])).lastrowid or 0
        if params.get("searchable"):
            db.execute(INDEX, (number, params["text"]))
        return number


class Reader(threading.Thread):
    """Answers reads, one after the other."""

    def __init__(self, database: str) -> None:
        """Read from a database file."""
        super().__init__(name="reader", daemon=True)
        self.queue = SimpleQueue[tuple[str, dict[str, Any], Answer]]()
        self._database = database

    def run(self) -> None:
        """Answer what is asked."""
        db = sqlite3.connect(self._database, isolation_level=None)
        while True:
            method, params, answer = self.queue.get()
            if method == "search":
                rows = db.execute(FIND, (params["match"], params["limit"])).fetchall()
                answer({"hits": [[row, db.execute(TEXT, (row,)).fetchone()[0][:400]] for (row,) in rows]})
            else:
                span = (params["first"], params["first"] + params["count"] - 1)
                answer({"text": "".join(text for (text,) in db.execute(TEXTS, span))})


class Server(asyncio.Protocol):
    """One connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop, writer: Writer | None, reader: Reader | None) -> None:
        """Hand requests to the threads; without them only `ping` is answered."""
        self._loop = loop
        self._writer = writer
        self._reader = reader
        self._parts = list[bytes]()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Cut lines."""
        while (end := data.find(b"\n")) >= 0:
            self._parts.append(data[:end])
            line = b"".join(self._parts)
            self._parts.clear()
            data = data[end + 1 :]
            self._line(msgspec.json.decode(line))
        if data:
            self._parts.append(data)

    def _line(self, request: dict[str, Any]) -> None:
        method, number, params = request["method"], request["id"], request["params"]
        if method == "ping":
            self._answer(number, {"ok": True})
        elif method == "put" and self._writer is not None:
            self._writer.queue.put((params, partial(self._later, number)))
        elif self._reader is not None:
            self._reader.queue.put((method, params, partial(self._later, number)))

    def _later(self, number: int, result: Any) -> None:
        self._loop.call_soon_threadsafe(self._answer, number, result)

    def _answer(self, number: int, result: Any) -> None:
        if self._transport is not None and not self._transport.is_closing():
            answer = {"jsonrpc": "2.0", "id": number, "result": result}
            self._transport.write(msgspec.json.encode(answer) + b"\n")


def _fault(fault: threading.ExceptHookArgs) -> None:
    """End the process: a rival without one of its threads would only make its measurement wait."""
    sys.stderr.write(f"rival: {fault.exc_value!r}\n")
    os._exit(1)


async def serve(path: str, database: str) -> None:
    """Listen until standard input ends."""
    loop = asyncio.get_running_loop()
    writer = Writer(database) if database else None
    reader = Reader(database) if database else None
    for thread in (writer, reader):
        if thread is not None:
            thread.start()
    server = await loop.create_unix_server(partial(Server, loop, writer, reader), path, backlog=BACKLOG)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    server.close()


class Rival:
    """A running rival."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        """Belong to a folder."""
        self.path = str(folder / "rival.sock")
        self.process = process

    def connect(self) -> Connection:
        """Return a connection."""
        return Connection(self.path, handshake=False)


@contextmanager
def running(folder: Path, database: Path | None = None) -> Generator[Rival]:
    """Run a rival over a database (none: it only answers `ping`) while the context lasts."""
    command = [sys.executable, "-P", "-m", "unabridged.bench.rival", str(folder / "rival.sock")]
    command += [str(database)] if database else []
    (folder / "rival.sock").unlink(missing_ok=True)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        if process.stdout is None or process.stdout.readline() != b"ready\n":
            raise DaemonUnavailable("the rival could not be started", status=process.wait())
        yield Rival(folder, process)
    finally:
        end(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


if __name__ == "__main__":
    threading.excepthook = _fault
    uvloop.run(serve(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""))
