"""A program that is spoken to in lines of JSON."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.clients import PLAIN

ANSWERS_WITHIN = 120  # seconds
ENDS_WITHIN = 20  # seconds


class Lines:
    """The process, with nothing of this one's environment; what it writes to its error output goes to a file."""

    def __init__(
        self, command: Sequence[str | Path], cwd: Path, env: Mapping[str, str], errors: Path
    ) -> None:
        self._errors = errors
        with errors.open("ab") as file:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                cwd=cwd,
                env={**PLAIN, **env},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
            )
        self._said: queue.Queue[Any] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, message: Any) -> None:
        """Write one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def until(self, wanted: Callable[[Any], bool]) -> list[Any]:
        """What it says up to a line that is waited for."""
        found: list[Any] = []
        while True:
            try:
                said = self._said.get(timeout=ANSWERS_WITHIN)
            except queue.Empty:
                said = None
            if said is None:
                raise AssertionError(f"{found[-3:]}\n{self._errors.read_text(errors='replace')[-3000:]}")
            found.append(said)
            if wanted(said):
                return found

    def end(self) -> None:
        """Close its input and wait for it; one that stays is killed."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(ENDS_WITHIN)

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        self._reader.join(ENDS_WITHIN)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(b"{"):
                self._said.put(json.loads(line))
        self._said.put(None)
