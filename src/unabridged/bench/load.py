"""The other thing that goes on while something is measured: a bulk import."""

from __future__ import annotations

import json
import shutil
import threading
import time
from types import TracebackType
from typing import Any

from unabridged.bench.home import Home
from unabridged.bench.transcripts import Transcripts
from unabridged.bench.wire import Connection, frame, result
from unabridged.errors import DaemonUnavailable, UnabridgedError

FIRST = 1_000_000  # number of its first session, so that none is the measured archive's own
STEP = 10_000  # between the first sessions of two loads
BEGIN_SECONDS = 60.0  # that an import may take until its first batch is durable
SETTLE_SECONDS = 300.0  # that the merges of a large index may take
EACH = 8 << 20  # bytes of one transcript


class Load:
    """An import of new transcripts that runs while the context lasts, or until all is imported."""

    def __init__(self, home: Home, transcripts: Transcripts, size: int) -> None:
        """Write transcripts of `size` bytes that this home has not seen yet."""
        number = home.next_lot()
        self._folder = home.work / f"load-{number}"
        self._home = home
        self._connection: Connection | None = None
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="load", daemon=True)
        self._failure: UnabridgedError | None = None
        self._withdrawn = False
        self.bytes_done = 0
        transcripts.write(self._folder, size, EACH, FIRST + STEP * number)

    @property
    def running(self) -> bool:
        """Whether the import still reads transcripts."""
        return self._begun.is_set() and self._thread.is_alive()

    def _run(self) -> None:
        connection = self._connection
        assert connection is not None
        try:
            connection.send(frame("import", {"paths": [str(self._folder)]}))
            while self._reads(connection.receive()):
                pass
        except UnabridgedError as error:
            self._failure = None if self._withdrawn else error
        finally:
            self._begun.set()

    def _reads(self, line: bytes) -> bool:
        """Take a message; tell whether transcripts are still read: the indexing that follows is no bulk import."""
        message: dict[str, Any] = json.loads(line)
        if message.get("method") != "progress":
            self.bytes_done = int(result(line)["bytes"])  # a small import is over before it tells of progress
            return False
        self.bytes_done = int(message["params"].get("bytes_done") or 0)
        if self.bytes_done:
            self._begun.set()
        return message["params"].get("phase") != "index"

    def __enter__(self) -> Load:
        """Begin; return once the first batch is durable."""
        self._connection = self._home.connect()
        self._thread.start()
        self._begun.wait(BEGIN_SECONDS)
        if self._failure is not None or not self.bytes_done:
            self.__exit__(None, None, None)
            raise DaemonUnavailable("the import beside the measurement did not begin")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Withdraw what is left, and wait for the thread; raise what made the import fail before that."""
        if self._connection is not None:
            self._withdrawn = True
            self._connection.interrupt()
            self._thread.join()
            self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._failure is not None and error is None:
            raise self._failure


def settle(home: Home, seconds: float = SETTLE_SECONDS) -> dict[str, Any]:
    """Wait until the index has everything and merges no more (or `seconds` are over); return its status."""
    deadline, steady = time.monotonic() + seconds, 0
    last: dict[str, Any] = {}
    with home.connect() as connection:
        while steady < 4 and time.monotonic() < deadline:
            status = connection.call("index", {"action": "status"})["status"]
            same = all(status[name] == last.get(name) for name in ("segments", "windows", "bytes_on_disk"))
            steady = steady + 1 if same and not status["behind"] else 0
            last = status
            time.sleep(0.25)
    return last
