"""una daemon: the process that owns the archive."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, cast

from unabridged.cli import facts
from unabridged.cli.arguments import Arguments
from unabridged.daemon import lock, logs, starting
from unabridged.daemon.client import answers
from unabridged.daemon.paths import Layout, layout
from unabridged.errors import DaemonUnavailable

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
    if not before:
        _begin(place)
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
    stopped = _end(arguments, layout(arguments.environ))
    text = f"process {stopped} has ended" if stopped else "it was not running"
    return _tell(arguments, {"ok": True, "running": False, "stopped": stopped}, text)


def _restart(arguments: Arguments) -> int:
    place = layout(arguments.environ)
    owner = starting.restart(
        place,
        lambda: _ask(arguments, place),
        lambda: answers(place.socket),
        force=arguments.flag("force"),
    )
    stopped = int(owner.get("pid") or 0)
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


def _begin(place: Layout) -> None:
    # Explicit: a person's own start may take the user's settings from the environment.
    starting.start(place, lambda: answers(place.socket), explicit=True)


def _ask(arguments: Arguments, place: Layout) -> None:
    """Ask a daemon to end, once it can be asked: one that only begins, or ends already, has no socket."""
    seconds = starting.FORCE_SECONDS if arguments.flag("force") else starting.STOP_SECONDS
    deadline = time.monotonic() + seconds
    while True:
        try:
            client = arguments.client(start=False)
            client.call("shutdown", {"reason": "una daemon stop"})
            client.close()
        except DaemonUnavailable:
            if answers(place.socket) or not lock.held(place.lock) or time.monotonic() > deadline:
                raise
            time.sleep(starting.POLL_SECONDS)
        else:
            return


def _end(arguments: Arguments, place: Layout) -> int:
    """Let the daemon of a home end and wait until it has; return its process number, 0 when none ran."""
    owner = starting.stop(place, lambda: _ask(arguments, place), force=arguments.flag("force"))
    return int(owner.get("pid") or 0)
