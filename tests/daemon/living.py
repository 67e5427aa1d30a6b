"""Real daemons on homes of their own, ended by their process numbers whatever a test does."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unabridged.daemon import lock, paths, starting
from unabridged.daemon.client import Client
from unabridged.daemon.paths import Layout
from unabridged.errors import UnabridgedError

PATIENCE = 60.0  # seconds; a loaded machine starts processes slowly


class Home:
    """A home with the daemon that runs on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.layout: Layout = paths.layout({"UNABRIDGED_HOME": str(folder)})
        self._clients: list[Client] = []
        self.pids: set[int] = set()

    def configure(self, **sections: dict[str, Any]) -> None:
        """Write the user's settings."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        lines = [
            f"[{section}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
            for section, values in sections.items()
        ]
        Path(self.layout.config_file).write_text("\n".join(lines))

    def connect(self, **facts: Any) -> Client:
        """Return a client, starting the daemon when it does not run."""
        client = Client(self.layout, **facts)
        self._clients.append(client)
        self.pids.add(client.server["pid"])
        return client

    @property
    def pid(self) -> int:
        """The daemon's process number."""
        return int(lock.read_owner(self.layout.lock)["pid"])

    def log(self) -> list[dict[str, Any]]:
        """Return the records of the log."""
        path = Path(self.layout.logs) / "daemon.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def events(self) -> list[str]:
        """Return the names of the log's records."""
        return [record["event"] for record in self.log()]

    def end(self) -> None:
        """Stop the daemon; kill what does not stop."""
        for client in self._clients:
            client.close()
        if lock.held(self.layout.lock):
            try:
                with Client(self.layout, start=False) as client:
                    client.call("shutdown")
            except UnabridgedError:
                pass
            if not starting.await_end(self.layout, 15.0):
                for pid in self.pids:
                    kill(pid)


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set variables of this process, which a started daemon inherits."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a process that the test started."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def alive(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        with Path(f"/proc/{pid}/stat").open("rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except (
        FileNotFoundError,
        ProcessLookupError,
    ):  # it ended before its file was opened, or before it was read
        return False


def children(pid: int) -> set[int]:
    """Return the processes whose parent is `pid`."""
    found: set[int] = set()
    for entry in [item.name for item in Path("/proc").iterdir()]:
        if entry.isdigit():
            try:
                with Path(f"/proc/{entry}/stat").open("rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == pid and fields[0] != b"Z":
                found.add(int(entry))
    return found


def until(condition: Callable[[], bool], what: str = "it never came to be") -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def transcript(
    path: Path,
    session: str,
    count: int,
    *,
    first: int = 0,
    folder: str = "/nowhere/project",
    words: str = "",
    filler: int = 0,
) -> Path:
    """Write (or go on with) a transcript in the form of one host: `count` exchanges from number `first` on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for number in range(first, first + count):
            for role in ("user", "assistant"):
                own = f"{session[:8]}-0000-4000-8000-{number:06d}{'0' if role == 'user' else '1'}00000"
                text = f"{role} says {words or 'word'}{number} {'lorem ' * filler}".strip()
                content: Any = text if role == "user" else [{"type": "text", "text": text}]
                row = {
                    "parentUuid": None,
                    "isSidechain": False,
                    "userType": "external",
                    "cwd": folder,
                    "sessionId": session,
                    "version": "2.0.0",
                    "type": role,
                    "message": {"role": role, "content": content},
                    "uuid": own,
                    "timestamp": f"2026-01-02T03:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
                }
                if role == "assistant":
                    row["message"] |= {"id": f"msg_{own}", "type": "message", "model": "m", "usage": {}}
                file.write(json.dumps(row) + "\n")
    return path


SESSION = "11111111-2222-4333-8444-555555555555"
LONG = 4_000  # exchanges (with a filler of 200: 12 MB) whose import is not done in a moment
