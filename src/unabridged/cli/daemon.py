"""una daemon: the process that owns the archive."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Mapping
from typing import Any, cast

from unabridged.cli import facts, human
from unabridged.cli.arguments import Arguments
from unabridged.daemon import lock, logs
from unabridged.daemon.config import load
from unabridged.daemon.paths import Layout, layout
from unabridged.errors import DaemonUnavailable, ServiceError

# Seconds between two looks whether the daemon has ended.
LOOK_SECONDS = 0.02
# Seconds that a daemon gets beyond its own drain time before it counts as hanging.
GRACE_SECONDS = 10.0
# Seconds between asking a hanging process to end and ending it.
KILL_SECONDS = 2.0

_SHOWN = ("time", "level", "event")


def run(arguments: Arguments) -> int:
    """Show, start, stop, restart it, or print its log."""
    action = arguments.verb.name.split(" ", 1)[1]
    return _ACTIONS[action](arguments)


def _status(arguments: Arguments) -> int:
    place = layout(arguments.environ)
    if not lock.held(place.lock):
        return _tell(
            arguments, {"ok": True, "running": False, "home": place.data}, "not running; it starts on demand"
        )
    answer = arguments.client(start=False).call("daemon.status", {})
    if arguments.flag("json"):
        return _tell(arguments, {**answer, "running": True}, "")
    facts.tell(arguments.screen, "daemon", answer["daemon"])
    if answer.get("slow"):
        arguments.screen.line("slow requests")
        facts.rows(arguments.screen, answer["slow"])
    return 0


def _start(arguments: Arguments) -> int:
    place = layout(arguments.environ)
    before = lock.held(place.lock)
    answer = arguments.client().call("ping", {})
    found = {
        "ok": True,
        "running": True,
        "started": not before,
        "pid": answer["pid"],
        "version": answer["version"],
    }
    text = f"process {answer['pid']} runs already" if before else f"started as process {answer['pid']}"
    return _tell(arguments, found, text)


def _stop(arguments: Arguments) -> int:
    stopped = stop(arguments, layout(arguments.environ))
    text = f"process {stopped} has ended" if stopped else "it was not running"
    return _tell(arguments, {"ok": True, "running": False, "stopped": stopped}, text)


def _restart(arguments: Arguments) -> int:
    stopped = stop(arguments, layout(arguments.environ))
    answer = arguments.client().call("ping", {})
    found = {
        "ok": True,
        "running": True,
        "stopped": stopped,
        "pid": answer["pid"],
        "version": answer["version"],
    }
    return _tell(arguments, found, f"process {answer['pid']} took over")


def _logs(arguments: Arguments) -> int:
    screen = arguments.screen
    lines = logs.tail(layout(arguments.environ).logs, arguments.number("lines", 50))
    records = [_record(line) for line in lines]
    if arguments.flag("json"):
        screen.json(records)
    elif arguments.flag("jsonl"):
        for record in records:
            screen.json(record)
    else:
        for record in records:
            rest = "  ".join(f"{key}={value}" for key, value in record.items() if key not in (*_SHOWN, "pid"))
            head = "  ".join(str(record.get(key, "")) for key in _SHOWN)
            screen.line(screen.archived(f"{head}  {rest}".rstrip()))
        if not records:
            screen.note("There is no log yet.")
    return 0


_ACTIONS = {"status": _status, "start": _start, "stop": _stop, "restart": _restart, "logs": _logs}


def _record(line: str) -> dict[str, Any]:
    try:
        found: object = json.loads(line)
    except ValueError:
        return {"text": line}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {"text": line}


def _tell(arguments: Arguments, found: Mapping[str, Any], text: str) -> int:
    if arguments.flag("json"):
        arguments.screen.json(found)
    else:
        arguments.screen.line(f"daemon: {text}")
    return 0


def stop(arguments: Arguments, place: Layout) -> int:
    """Let the daemon of a home end and wait until it has; return its process number, 0 when none ran.

    With --force one that does not answer, or does not end in time, is ended by its number. Raises what the daemon
    answered, or `DaemonUnavailable`.
    """
    if not lock.held(place.lock):
        return 0
    owner = lock.read_owner(place.lock)
    process = int(owner.get("pid") or 0)
    force = arguments.flag("force")
    patience = load(arguments.environ, place=place).seconds("daemon.drain_seconds") + GRACE_SECONDS
    try:
        client = arguments.client(start=False)
        client.call("shutdown", {"reason": "una daemon stop"})
        client.close()
    except ServiceError:
        if not force:
            raise
        patience = 0.0
    if _ended(place, patience):
        return process
    if not force:
        message = f"the daemon did not end within {human.span(patience)}"
        raise DaemonUnavailable(message, hint="`una daemon stop --force` ends it.", pid=process)
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal(process, number)
        if _ended(place, KILL_SECONDS):
            return process
    raise DaemonUnavailable("the daemon cannot be ended", pid=process)


def _signal(process: int, number: signal.Signals) -> None:
    if process > 1:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            return  # it has ended by itself


def _ended(place: Layout, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while lock.held(place.lock):
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_SECONDS)
    return True
