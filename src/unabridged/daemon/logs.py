"""The daemon's log: JSON lines in a few rotated files, never content, never secrets.

A record holds an event's name and plain facts (counts, durations, codes, paths of our own files). Text of exceptions
from elsewhere can quote what was being read, so only their type and the places they passed are kept.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from unabridged.daemon import safety
from unabridged.daemon.paths import ERRORS
from unabridged.errors import UnabridgedError

MAX_FILE_BYTES = 4 << 20
FILES = (
    5  # the active one and four older: 20 MiB, so that all, with error stream and gateway, stay below 24 MiB
)
MAX_RECORD_BYTES = 8 << 10
MAX_STREAM_BYTES = 1 << 20  # of the captured error stream, cut by the maintenance tick
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
NAME = "daemon.log"


class Log:
    """A writer of records, usable from every thread."""

    def __init__(
        self,
        folder: str,
        level: str = "info",
        *,
        name: str = NAME,
        most: int = MAX_FILE_BYTES,
        files: int = FILES,
    ) -> None:
        """Open (or create) the log in a private folder; it takes up to `files` files of `most` bytes."""
        safety.private_folder(folder, create=True)
        self._path = os.path.join(folder, name)
        self._most, self._files = most, files
        self._level = LEVELS[level]
        self._lock = threading.Lock()
        self._closed = False
        self.failed: UnabridgedError | None = None  # why the last record could not be written
        self._open()

    def write(self, level: str, event: str, **facts: Any) -> None:
        """Write one record; one that is too long keeps its event's name and size alone."""
        if LEVELS[level] < self._level:
            return
        head = {"time": iso(time.time()), "level": level, "event": event, "pid": os.getpid()}
        data = json.dumps({**head, **facts}, default=_unprintable).encode() + b"\n"
        if len(data) > MAX_RECORD_BYTES:
            data = json.dumps({**head, "too_long": len(data)}).encode() + b"\n"
        with self._lock:
            if self._closed:
                return
            try:
                if self._descriptor < 0:
                    self._open()
                if os.fstat(self._descriptor).st_size + len(data) > self._most:
                    self._rotate()
                os.write(self._descriptor, data)
                self.failed = None
            except UnabridgedError as error:
                self.failed = error
            except OSError as error:
                # A full disk must not stop the daemon; the next record tries again.
                self.failed = safety.unwritable(error, self._path)

    def info(self, event: str, **facts: Any) -> None:
        """Write a record of something that a person may want to know."""
        self.write("info", event, **facts)

    def warning(self, event: str, **facts: Any) -> None:
        """Write a record of something that went wrong and was handled."""
        self.write("warning", event, **facts)

    def failure(self, event: str, error: BaseException, **facts: Any) -> None:
        """Write a record of an exception: its code (ours), type and places."""
        if isinstance(error, UnabridgedError):
            facts.update(code=error.code, message=error.message)
        self.write("error", event, type=type(error).__name__, places=places(error), **facts)

    def close(self) -> None:
        """Close the file; later records are dropped."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _open(self) -> None:
        self._descriptor = safety.open_private(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def _let_go(self) -> None:
        """Close the file, if it is open; what fails after that finds no number that is another file's by then."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _rotate(self) -> None:
        """Begin another file, unless another process that writes this log has."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        if os.path.samestat(os.fstat(self._descriptor), os.stat(self._path)):
            self._shift()
        self._let_go()
        self._open()

    def _shift(self) -> None:
        for number in range(self._files - 2, 0, -1):
            older = f"{self._path}.{number}"
            if os.path.exists(older):
                os.replace(older, f"{self._path}.{number + 1}")
        os.replace(self._path, f"{self._path}.1")


def places(error: BaseException) -> list[str]:
    """Return file:line:function of each frame that an exception passed, innermost last, at most twenty."""
    frames = traceback.extract_tb(error.__traceback__)[-20:]
    return [f"{Path(frame.filename).name}:{frame.lineno}:{frame.name}" for frame in frames]


def trim_stream(folder: str) -> bool:
    """Cut the captured error stream when it is too large (its writers append); tell whether it was."""
    path = os.path.join(folder, ERRORS)
    try:
        if os.path.getsize(path) <= MAX_STREAM_BYTES:
            return False
        os.truncate(path, 0)
    except OSError:
        return False
    return True


def tail(folder: str, lines: int) -> list[str]:
    """Return the last lines of the log, oldest first, older files included."""
    found = list[str]()
    for number in range(FILES):
        path = Path(folder) / (f"{NAME}.{number}" if number else NAME)
        if len(found) >= lines or not path.exists():
            break
        found = path.read_text(encoding="utf-8", errors="replace").splitlines() + found
    return found[-lines:] if lines > 0 else []


def iso(seconds: float) -> str:
    """Return a time since the epoch as ISO 8601 in UTC, to the millisecond."""
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds % 1 * 1000):03d}Z"


def _unprintable(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else type(value).__name__
