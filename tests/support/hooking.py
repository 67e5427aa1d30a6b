"""Runs the hook as a host does: a process of its own, with an event on its standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import unabridged

HOOK = Path(unabridged.__file__).with_name("hook.py")
SOURCES = str(Path(unabridged.__file__).parents[1])
SESSION = "a20e386e-c9f0-46ca-a8e8-f4089769d05e"
PATIENCE = 20.0  # seconds after which a test gives a hook up


def event(name: str, transcript: Path | str = "", session: str = SESSION, **more: Any) -> dict[str, Any]:
    """Return an event as hosts tell it."""
    said = {"session_id": session, "transcript_path": str(transcript), "cwd": "/", "hook_event_name": name}
    return {**said, **more}


def surroundings(home: Path | None, **more: str) -> dict[str, str]:
    """Return the environment of a hook: little of this process's own."""
    env = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": SOURCES}
    return {**env, **({"UNABRIDGED_HOME": str(home)} if home is not None else {}), **more}


def command(host: str = "claude-code", *more: str, hook: Path = HOOK) -> list[str]:
    """Return the command line that a host has in its settings."""
    return [sys.executable, "-I", "-S", "-E", str(hook), host, *more]


def tell(
    home: Path | None,
    said: dict[str, Any] | bytes,
    host: str = "claude-code",
    *more: str,
    env: dict[str, str] | None = None,
    **process: Any,
) -> str:
    """Run a hook to its end; return what it printed. It never fails and never complains."""
    data = said if isinstance(said, bytes) else json.dumps(said).encode()
    done = subprocess.run(
        command(host, *more),
        input=data,
        capture_output=True,
        env=env or surroundings(home),
        timeout=PATIENCE,
        check=False,
        **process,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def entries(home: Path) -> list[dict[str, Any]]:
    """Return what waits in a home's outbox, oldest first."""
    return [json.loads(path.read_text()) for path in sorted((home / "outbox").glob("*.json"))]


def hold_starts(home: Path) -> None:
    """Keep hooks from starting a daemon, as after many starts that brought none."""
    run = home / "run"
    run.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.chmod(0o700)
    (run / "hook.starts").write_bytes(b"x" * 10)
