"""una sessions: list what is archived."""

from __future__ import annotations

from unabridged.cli import human, passage, reading
from unabridged.cli.safe import one_line
from unabridged.cli.table import draw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from unabridged.cli.arguments import Arguments

# Sessions that a terminal is shown when no limit is given; a program gets them all.
TERMINAL_LIMIT = 30


def run(arguments: Arguments) -> int:
    """List sessions, newest first."""
    screen = arguments.screen
    asked: dict[str, Any] = {}
    if arguments.given("host"):
        asked["host"] = arguments.text("host")
    if arguments.given("project"):
        asked["project"] = passage.project(arguments)
    if arguments.given("cursor"):
        asked["cursor"] = arguments.text("cursor")
    drawn = not (arguments.flag("json") or arguments.flag("jsonl"))
    most = arguments.number("limit", TERMINAL_LIMIT if drawn and screen.terminal else 0)
    rows: list[dict[str, Any]] = []
    following = ""
    for row, cursor in reading.sessions(arguments.client(), asked, most):
        following = cursor
        if arguments.flag("jsonl"):
            screen.json(row)
        else:
            rows.append(row)
    if arguments.flag("json"):
        screen.json(rows)
    elif drawn:
        _draw(arguments, rows)
    if following:
        screen.tell("next:", f"the same with --cursor {following}", "cyan")
    return 0


def _draw(arguments: Arguments, rows: list[dict[str, Any]]) -> None:
    screen = arguments.screen
    if not rows and (arguments.given("host") or arguments.given("project")):
        screen.note("No session is archived of that host or project.")
        screen.tell("hint:", "`una status` lists the hosts, `una sessions` the sessions of all.", "yellow")
        return
    if not rows:
        screen.note("No session is archived here yet.")
        screen.tell("hint:", "`una import` archives what your agents have written so far.", "yellow")
        return
    cells = [
        (
            human.short(str(row["session"])),
            str(row["host"]),
            human.moment(str(row.get("started") or "")),
            human.number(int(row.get("events") or 0)),
            screen.archived(one_line(str(row.get("title") or ""))) or "(no title)",
        )
        for row in rows
    ]
    heads = ("session", "host", "started (UTC)", "events", "title")
    draw(screen, heads, cells, right=(3,), flexible=4)
