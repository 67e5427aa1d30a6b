"""una window statusline: one line on a session, as quick as a status line has to be."""

from __future__ import annotations

import sys

from unabridged.cli.human import plural
from unabridged.cli.window import ROTATED, cached, fullness, share, shown, turns
from unabridged.errors import DaemonUnavailable, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments
    from unabridged.cli.connection import Caller

MOST_BYTES = 1 << 20  # of what a host writes
NOTHING = "una: no window"
UNKNOWN = "una · nothing archived yet"  # a session before the end of its first turn


def run(arguments: Arguments) -> int:
    """Print the line; what is not there is said in it, and is no error: the host shows whatever is printed."""
    named = arguments.text("session")
    told: Mapping[str, Any] = {} if named else _told()
    named = named or str(told.get("session_id") or "")
    asked: dict[str, Any] = (
        {"limit": 1, "session": named} if named else {"limit": 1, "project": _folder(told)}
    )
    row: Mapping[str, Any] | None = None
    try:
        client = arguments.client(start=False)
        row = _window(client, asked)
        line = shown(_line(row)) if row else _kept(client, named)
    except DaemonUnavailable:
        line = "una: no daemon"
    if arguments.flag("json"):
        arguments.screen.json({"line": line, "window": row})
    else:
        arguments.screen.line(line)
    return 0


def _window(client: Caller, asked: dict[str, Any]) -> Mapping[str, Any] | None:
    try:
        found = client.call("windows", asked)["windows"]
    except NotFound:
        return None
    return found[0] if found else None


def _kept(client: Caller, session: str) -> str:
    """Return what to say where no window is: how much of the session is archived."""
    if not session:
        return NOTHING
    try:
        told = client.call("show", {"target": session, "limit": 1})["session"]
    except NotFound:
        return UNKNOWN
    return f"una · {plural(int(told['events']), 'event')} archived"


def _line(row: Mapping[str, Any]) -> str:
    """Return epoch, turns, tokens, cache share and notices of a window."""
    parts = [f"epoch {row['epoch']}", f"{turns(row)} turns", f"{fullness(row)} tokens"]
    read = cached(row["totals"])
    if read is not None:
        parts.append(f"cached {share(read)}")
    parts += [str(code).replace("-", " ") for code, _ in row["notices"] if code != ROTATED]
    if row["fault"]:
        parts.append(f"fault {row['fault']}")
    return " · ".join(["una", *parts])


def _told() -> Mapping[str, Any]:
    """Return what the host wrote on standard input, {} where it wrote nothing that is JSON."""
    from unabridged.daemon.wirejson import loads

    if sys.stdin is None or sys.stdin.isatty():
        return {}
    try:
        found: Any = loads(sys.stdin.buffer.read(MOST_BYTES).decode("utf-8", "replace"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _folder(told: Mapping[str, Any]) -> str:
    import os

    return str(told.get("cwd") or os.getcwd())  # noqa: PTH109 - pathlib costs a start
