"""What keeps hooks from paying for a daemon that does not come, or does not answer: two files, one byte a failure.

Hooks (which import nothing of ours) write and heed them, see `hookclient.broken`; a daemon that is ready removes them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from unabridged.daemon import safety, wirejson
from unabridged.daemon.paths import Layout
from unabridged.errors import UnabridgedError

# Seconds for which hooks hold back after the first failure, and at most: doubled with each one in a row.
STARTS, SILENCE = ("hook.starts", (30, 900)), ("hook.silence", (5, 300))
FAULT = "hook.fault"  # why the last start for a hook brought no daemon
PYTHON = "python"  # the interpreter that the daemon runs with, for hooks that lie outside of the package
MAX_FAULT = 4_096  # bytes


def ready(layout: Layout) -> None:
    """Let hooks through again, and tell them how a daemon is started; the run folder is there."""
    for name in (STARTS[0], SILENCE[0], FAULT):
        _unlink(os.path.join(layout.run, name))
    path = os.path.join(layout.run, PYTHON)
    temporary = f"{path}.{os.getpid()}"
    _unlink(temporary)
    descriptor = safety.open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        os.write(descriptor, os.fsencode(sys.executable))
    finally:
        os.close(descriptor)
    os.replace(temporary, path)


def note(layout: Layout, error: UnabridgedError) -> None:
    """Keep why a start brought no daemon; where nothing can be written nobody learns it."""
    facts = {"time": int(time.time()), "code": error.code, "message": error.message, "hint": error.advice}
    try:
        descriptor = safety.open_private(
            os.path.join(layout.run, FAULT), os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        )
        try:
            os.write(descriptor, json.dumps(facts).encode()[:MAX_FAULT])
        finally:
            os.close(descriptor)
    except (OSError, UnabridgedError):
        return


def facts(layout: Layout) -> dict[str, Any]:
    """Return what hooks hold back from: `starts`, `silence` (failures in a row, and until when), `fault`."""
    found: dict[str, Any] = {"open": False}
    for name, seconds in (STARTS, SILENCE):
        failures, until = _state(os.path.join(layout.run, name), seconds)
        word = name.rpartition(".")[2]
        found[word] = {"failures": failures, "until": until if until > time.time() else 0}
        found["open"] = found["open"] or until > time.time()
    found["fault"] = _fault(os.path.join(layout.run, FAULT))
    return found


def _state(path: str, seconds: tuple[int, int]) -> tuple[int, int]:
    """Return how many failures a file stands for, and the time until which it holds."""
    try:
        found = os.lstat(path)
    except OSError:
        return 0, 0
    count = found.st_size
    if found.st_mtime > time.time():  # the clock was set back since: hooks do not heed it
        return count, 0
    return count, int(found.st_mtime + min(seconds[0] << min(max(count - 1, 0), 16), seconds[1]))


def _fault(path: str) -> dict[str, Any]:
    try:
        descriptor = safety.open_private(path, os.O_RDONLY)
        try:
            found: object = wirejson.loads(os.read(descriptor, MAX_FAULT).decode())
        finally:
            os.close(descriptor)
    except (OSError, UnabridgedError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
