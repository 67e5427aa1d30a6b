"""una stats: counts, sizes, what requests through the gateway came to."""

from __future__ import annotations

from unabridged.cli import facts, human
from unabridged.cli.table import draw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from unabridged.cli.arguments import Arguments
    from unabridged.cli.screen import Screen

SHORT_ID = 12  # characters of a session's id that are shown


def run(arguments: Arguments) -> int:
    """Show totals, projects, disk use, operations, and what windows saved; of one session the latter alone."""
    session = arguments.text("session")
    answer = arguments.client().call("stats", {"session": session} if session else {})
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    if session:
        if answer.get("told"):
            facts.tell(screen, "told unasked", answer["told"])
        if not answer["window"]:
            screen.note("No request of that session went through the gateway.")
        _window(screen, answer["window"])
        return 0
    for name in ("totals", "disk", "feedback"):
        if answer.get(name):
            facts.tell(screen, name, answer[name], sizes=name == "disk")
    if answer.get("told"):
        facts.tell(screen, "told unasked", answer["told"])
    for name, heading in (("projects", "projects"), ("operations", "slow requests")):
        if answer.get(name):
            screen.line(screen.style(heading, "bold"))
            facts.rows(screen, answer[name])
    _window(screen, answer.get("window", {}))
    return 0


def _window(screen: Screen, window: Mapping[str, Any]) -> None:
    """Draw what requests came to: by model, by session, in all."""
    if not window:
        return
    screen.line(screen.style("requests", "bold"))
    rows = [*((row["model"], row) for row in window["models"]), ("all", window["total"])]
    _table(screen, "model", rows)
    screen.line()
    named = [(f"{row['session'][:SHORT_ID]} {row['host']}", row) for row in window["sessions"]]
    _table(screen, "session", named)
    if window["total"]["without"]:
        screen.line()
        screen.line(
            screen.style(
                "Tokens as sent and as they would have been without a window; dollars of the input, the latter an "
                f"estimate. Prices: {window['prices']} and your own.",
                "dim",
            )
        )


def _table(screen: Screen, head: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    heads = (
        head,
        "requests",
        "sent",
        "whole",
        "cached",
        "rotations",
        "faults",
        "cost",
        "input",
        "without",
        "saved",
    )
    cells = [
        [
            screen.archived(name),
            human.number(row["requests"]),
            human.number(row["sent"]),
            human.number(row["whole"]),
            _share(row["cache_read"], row["input"] + row["cache_read"] + row["cache_write"]),
            human.number(row["rotations"]),
            human.number(row["faults"]),
            *(_dollars(row[field]) for field in ("cost", "input_cost", "without")),
            "–" if row["saved"] is None else _share(row["saved"], row["without"]),
        ]
        for name, row in rows
    ]
    draw(screen, heads, cells, right=range(1, len(heads)), flexible=0)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _dollars(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"
