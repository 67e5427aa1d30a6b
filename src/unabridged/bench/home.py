"""A home of its own with a real daemon, both gone when the measurement is over."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unabridged.bench import processes
from unabridged.bench.wire import Connection
from unabridged.daemon import paths
from unabridged.daemon.starting import MODULE
from unabridged.errors import DaemonUnavailable, from_dict

START_SECONDS = 120.0  # that a daemon on a large store may take to answer
END_SECONDS = 60.0  # that it gets to end before it is killed
# The user's own transcripts are not followed into a measurement; a daemon that lost its measurement ends by itself, but
# not while the rival merges its index, which takes minutes.
# Generated talk is as old as its dates say, and is told of all the same.
SETTINGS = (
    "ingest.tail=false",
    "daemon.idle_seconds=900",
    "daemon.connections=64",
    "hints.conversation_days=3660",
)
HOME_FOLDER, WORK_FOLDER = "home", "work"
LOTS = "lots"  # counts the lots of transcripts that were imported beside a measurement


class Home:
    """One folder: `data` is what UNABRIDGED_HOME names, `work` is where files of the measurement lie."""

    def __init__(self, folder: Path) -> None:
        """Use a folder; it is made."""
        self.folder = folder
        self.data = folder / HOME_FOLDER
        self.work = folder / WORK_FOLDER
        self.work.mkdir(parents=True, exist_ok=True)
        self.layout = paths.layout({paths.HOME_VARIABLE: str(self.data)})
        self._daemon: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The daemon's process number."""
        if self._daemon is None:
            raise DaemonUnavailable("the measured daemon does not run")
        return self._daemon.pid

    def start(self) -> None:
        """Start the daemon; return once it answers. Raises what keeps it from running."""
        readable, writable = os.pipe()
        place = (self.layout.data, self.layout.config, self.layout.state)
        flags = [part for setting in SETTINGS for part in ("--set", setting)]
        command = [sys.executable, "-P", "-m", MODULE, "--ready", str(writable), "--place", *place, *flags]
        self.data.mkdir(mode=0o700, exist_ok=True)
        errors = (self.folder / "daemon-errors.log").open("ab")
        try:
            self._daemon = subprocess.Popen(
                command,
                pass_fds=(writable,),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                cwd="/",
                env=environment(self.data),
                start_new_session=True,
                umask=0o077,
            )
        finally:
            errors.close()
            os.close(writable)
        with os.fdopen(readable, "rb") as word:
            said = word.readline() if select.select([word], [], [], START_SECONDS)[0] else b""
        facts: dict[str, Any] = json.loads(said) if said else {"error": {}}
        if "error" in facts:
            self.stop()
            raise from_dict(facts["error"]) if facts["error"] else DaemonUnavailable("it ended at once")

    def connect(self) -> Connection:
        """Return a connection to the daemon."""
        return Connection(self.layout.socket, folder=str(self.work))

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Run one operation on a connection of its own."""
        with self.connect() as connection:
            return connection.call(method, params)

    def pids(self) -> list[int]:
        """Return the daemon's process and its workers."""
        return processes.family(self.pid)

    def stop(self) -> None:
        """End the daemon by its number, and wait for it."""
        process, self._daemon = self._daemon, None
        if process is not None:
            end(process)

    def next_lot(self) -> int:
        """Return a number that this folder has not given before, in whatever run."""
        path = self.folder / LOTS
        number = int(path.read_text()) + 1 if path.exists() else 1
        path.write_text(str(number))
        return number

    def size(self) -> int:
        """Return the bytes of store and index on disk."""
        return sum(tree_size(Path(folder)) for folder in (self.layout.store, self.layout.index))


def environment(home: Path) -> dict[str, str]:
    """Return this process's environment for one of ours on another home: no setting of the user's comes through."""
    kept = {name: value for name, value in paths.environment().items() if not name.startswith("UNABRIDGED_")}
    return {**kept, paths.HOME_VARIABLE: str(home)}


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process that we started to end, wait for it, kill it when it does not."""
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def tree_size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue  # merged away meanwhile
    return total


@contextmanager
def temporary(keep: Path | None = None) -> Generator[Home]:
    """Give a home in a new folder that is removed at the end, or in `keep`, which stays. Its daemon is ended."""
    folder = keep or Path(tempfile.mkdtemp(prefix="una-bench-"))
    if keep is not None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    home: Home | None = None
    try:
        home = Home(folder.resolve())
        yield home
    finally:
        if home is not None:
            home.stop()
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            shutil.rmtree(folder / WORK_FOLDER, ignore_errors=True)
