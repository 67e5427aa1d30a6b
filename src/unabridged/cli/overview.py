"""una alone: the state in a few lines, with the three commands that help next."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unabridged.cli import human, reading
from unabridged.cli.arguments import Arguments
from unabridged.cli.screen import Screen
from unabridged.daemon.paths import layout

Command = tuple[str, str]

_EMPTY: tuple[Command, ...] = (
    ("una import --dry-run", "see which transcripts are there"),
    ("una import", "archive them and make them searchable"),
    ("una import --sample", "or try it on the small sample that ships with it"),
)


def run(arguments: Arguments) -> int:
    """Show what is archived and what can be done next."""
    screen = arguments.screen
    if not Path(layout(arguments.environ).store).is_dir():
        return _show(arguments, {}, "nothing is archived yet", _EMPTY)
    client = arguments.client()
    status = client.call("status", {})
    newest = next((row for row, _ in reading.sessions(client, {}, 1)), None)
    if newest is None:
        return _show(arguments, status, "nothing is archived yet", _EMPTY)
    if not arguments.flag("json"):
        _draw_hosts(screen, status)
    sessions = sum(int(host.get("sessions") or 0) for host in status.get("hosts") or ())
    text = human.plural(sessions, "session") if sessions else "sessions are archived"
    return _show(arguments, status, text, _next(status, newest))


def _next(status: Mapping[str, Any], newest: Mapping[str, Any]) -> tuple[Command, ...]:
    found: list[Command] = []
    if not status["ok"]:
        found.append(("una doctor --fix", "repair what is wrong"))
    found.append(("una search WORDS", "find a passage"))
    found.append((f"una show {human.short(str(newest['session']))}", "read the newest session"))
    found.append(("una import", "archive what was written since"))
    return tuple(found[:3])


def _show(arguments: Arguments, status: Mapping[str, Any], text: str, commands: tuple[Command, ...]) -> int:
    screen = arguments.screen
    ok = bool(status.get("ok", True))
    if arguments.flag("json"):
        screen.json({"ok": ok, "status": dict(status), "next": [command for command, _ in commands]})
        return 0 if ok else 1
    screen.line(f"unabridged: {text}" + ("" if ok else ", something is wrong"))
    for problem in status.get("problems") or ():
        screen.line(f"  {screen.archived(str(problem.get('message') or problem.get('code')))}")
    screen.line()
    width = max(len(command) for command, _ in commands)
    for command, what in commands:
        screen.line(f"  {screen.style(command.ljust(width), 'cyan')}   {what}")
    screen.line()
    screen.line("`una --help` lists every command.")
    return 0 if ok else 1


def _draw_hosts(screen: Screen, status: Mapping[str, Any]) -> None:
    for host in status.get("hosts") or ():
        count = int(host.get("sessions") or 0)
        if count:
            screen.line(f"  {host.get('host') or host.get('name')!s:<12} {human.plural(count, 'session')}")
