"""A program in a terminal of its own: what it shows is read, what is typed is written."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 60.0  # seconds until something is shown
ROWS, COLUMNS = 50, 160
STEERING = re.compile(
    rb"\x1b(?:\[[0-9;?>=<]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-B0]|[=>78cMDE])"
)


class Terminal:
    """One program; `shown` is all that it wrote, without what steers a terminal and without blanks."""

    def __init__(self, command: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> None:
        self._own, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        words = [str(part) for part in command]
        self._process = subprocess.Popen(
            words, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self._read = b""

    @property
    def shown(self) -> str:
        return "".join(STEERING.sub(b"", self._read).decode("utf-8", "replace").split())

    def until(self, words: str) -> None:
        """Read until some words are shown; a program that draws by moving shows them without their blanks."""
        wanted, deadline = "".join(words.split()), time.monotonic() + PATIENCE
        while wanted not in self.shown:
            assert time.monotonic() < deadline, f"{words!r} is not shown: {self.shown[-2_000:]}"
            if select.select([self._own], [], [], 0.1)[0]:
                try:
                    self._read += os.read(self._own, 65_536)
                except OSError:  # it ended
                    deadline = 0.0

    def type(self, text: str) -> None:
        """Write what a person types."""
        os.write(self._own, text.encode())

    def end(self) -> None:
        """End the program."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._own)
