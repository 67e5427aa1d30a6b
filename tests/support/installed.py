"""`una install` and `una uninstall` beside a real agent, in that agent's own environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.daemon.living import Home
from tests.support.clients import PLAIN, RUN_WITHIN

PATIENCE = 30.0  # seconds until what was said is found


class Installed:
    """One archive and what is installed for it: `env` is the agent's, `folder` where it works."""

    def __init__(self, home: Home, env: dict[str, str], folder: Path) -> None:
        self.home, self.folder = home, folder
        env["PYTHONPATH"] = os.environ.get("PYTHONPATH", str(Path("src").resolve()))
        self.env = {**PLAIN, **env, "UNABRIDGED_HOME": str(home.folder)}

    def una(self, *words: str, status: int = 0) -> str:
        """Run a command line; returns what it wrote."""
        done = subprocess.run(
            [sys.executable, "-m", "unabridged", *words],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_WITHIN,
            check=False,
        )
        assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def answer(self, *words: str, status: int = 0) -> Any:
        """Run a command line with `--json`; returns its document."""
        return json.loads(self.una(*words, "--json", status=status))

    def found(self, query: str, **more: Any) -> list[dict[str, Any]]:
        """Search the project until something is found, and return it."""
        return until(lambda: self._search(query, more), query)

    def sessions_with(self, word: str) -> set[str]:
        """The host's names of the sessions in which a word stands, once there are any."""
        hits = until(lambda: [hit for hit in self._search(word, {}) if word in hit["snippet"]], word)
        return {hit["host_session"] for hit in hits}

    def _search(self, query: str, more: Mapping[str, Any]) -> list[dict[str, Any]]:
        with self.home.connect(project=str(self.folder)) as client:
            return client.call("search", {"query": query, "limit": 20, **more})["hits"]

    def sessions(self) -> list[dict[str, Any]]:
        """All sessions of the archive."""
        with self.home.connect(project=str(self.folder)) as client:
            return client.call("sessions", {"limit": 100})["sessions"]


def until(look: Callable[[], Any], what: str) -> Any:
    """Look until there is something."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, f"not found: {what}"
        time.sleep(0.1)
    return found


def snapshot(*roots: Path) -> dict[str, tuple[int, str, bytes]]:
    """Everything below some folders: mode, where links lead, content."""
    found: dict[str, tuple[int, str, bytes]] = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            link = str(path.readlink()) if path.is_symlink() else ""
            content = path.read_bytes() if path.is_file() and not link else b""
            found[str(path)] = (path.lstat().st_mode, link, content)
    return found
