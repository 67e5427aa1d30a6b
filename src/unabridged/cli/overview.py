"""una alone: the state in a few lines, with the three commands that help next."""

from __future__ import annotations

import os

from unabridged.cli import human, reading
from unabridged.cli.status import archive, draw_hosts, draw_problems
from unabridged.daemon.paths import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments

    Command = tuple[str, str]

_EMPTY: tuple[Command, ...] = (
    ("una import --dry-run", "see which transcripts are there"),
    ("una import", "archive them and make them searchable"),
    ("una import --sample", "or try it on the small sample that ships with it"),
)


def run(arguments: Arguments) -> int:
    """Show what is archived and what can be done next."""
    screen = arguments.screen
    if not os.path.isdir(layout(arguments.environ).store):  # noqa: PTH112 - pathlib costs a start more
        return _show(arguments, {}, "nothing is archived yet", _EMPTY)
    client = arguments.client()
    answer = client.call("status", {})
    newest = next((row for row, _ in reading.sessions(client, {}, 1)), None)
    if newest is None:
        return _show(arguments, answer, "nothing is archived yet", _EMPTY)
    commands = _next(answer, newest, installed=_installed(layout(arguments.environ).data))
    return _show(arguments, answer, screen.archived(archive(answer.get("store") or {})), commands)


def _installed(data: str) -> bool:
    """Tell whether an agent has been given the archive: the journals of installations say so."""
    try:
        return any(name.endswith(".json") for name in os.listdir(os.path.join(data, "install")))  # noqa: PTH118, PTH208
    except OSError:
        return False


def _next(answer: Mapping[str, Any], newest: Mapping[str, Any], *, installed: bool) -> tuple[Command, ...]:
    found: list[Command] = []
    if not answer["ok"]:
        found.append(("una doctor --fix", "repair what is wrong"))
    found.append(("una search WORDS", "find a passage"))
    if not installed:
        found.append(("una install", "have your agents search it by themselves"))
    found.append((f"una show {human.short(str(newest['session']))}", "read the newest session"))
    found.append(("una import", "archive what was written since"))
    return tuple(found[:3])


def _show(arguments: Arguments, answer: Mapping[str, Any], text: str, commands: tuple[Command, ...]) -> int:
    screen = arguments.screen
    ok = bool(answer.get("ok", True))
    if arguments.flag("json"):
        screen.json({"ok": ok, "status": dict(answer), "next": [command for command, _ in commands]})
        return 0 if ok else 1
    screen.line(f"unabridged: {text}")
    draw_hosts(screen, answer)
    draw_problems(screen, answer)
    screen.line()
    width = max(len(command) for command, _ in commands)
    for command, what in commands:
        screen.line(f"  {screen.style(command.ljust(width), 'cyan')}   {what}")
    screen.line()
    screen.line("`una --help` lists every command.")
    return 0 if ok else 1
