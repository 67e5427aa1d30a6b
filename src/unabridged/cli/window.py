"""una window status and rotate: how full windows are, and cutting one now."""

from __future__ import annotations

import os

from unabridged.cli import human, passage
from unabridged.cli.safe import one_line, visible
from unabridged.cli.table import draw
from unabridged.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments

    Facts = Mapping[str, Any]

ROTATED = "rotated"  # the notice of a request with which a new epoch began
LIMIT = 20  # windows that are listed when no limit is given


def run(arguments: Arguments) -> int:
    """Show windows, or have one rotate."""
    return _rotate(arguments) if arguments.verb.name.endswith("rotate") else _status(arguments)


def _status(arguments: Arguments) -> int:
    asked: dict[str, Any] = {"limit": arguments.number("limit", LIMIT)}
    if arguments.given("session"):
        asked["session"] = arguments.text("session")
    elif not arguments.flag("all"):
        asked["project"] = passage.project(arguments) or os.getcwd()  # noqa: PTH109 - pathlib costs a start
    rows = _listed(arguments, asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(rows)
        return 0
    if not rows:
        screen.note("Nothing passed through a window here yet.")
        screen.tell(
            "hint:", "`una run claude` starts an agent with one; --all shows every project's.", "yellow"
        )
        return 0
    heads = ("session", "host", "model", "tokens", "epoch", "turns", "cached", "saved", "last (UTC)", "state")
    draw(screen, heads, [_cells(row) for row in rows], right=(3, 4, 5, 6, 7), flexible=2)
    for row in rows:
        for code, text in row["notices"]:
            if code != ROTATED:
                screen.note(f"{human.short(str(row['session']))}: {text}")
    return 0


def _listed(arguments: Arguments, asked: Facts) -> list[dict[str, Any]]:
    """Return the windows; none of a folder that nothing is archived of."""
    try:
        return list(arguments.client().call("windows", asked)["windows"])
    except NotFound:
        if arguments.given("session") or arguments.given("project"):
            raise
        return []


def shown(text: object) -> str:
    """Return a name or code on one line, harmless: it comes from whoever sent the requests."""
    return visible(one_line(str(text)))


def _cells(row: Facts) -> tuple[str, ...]:
    totals: Facts = row["totals"]
    return (
        shown(human.short(str(row["session"]))),
        shown(row["host"]),
        shown(row["model"]),
        fullness(row),
        str(row["epoch"]),
        turns(row),
        share(cached(totals)),
        share(saved(totals)),
        shown(human.moment(str(row["updated"]))),
        shown(state(row)),
    )


def turns(row: Facts) -> str:
    """Return a window's turns and with how many it rotates: `12/20`."""
    most = int(row.get("turns", 0))
    return f"{row['users']}/{most}" if most else str(row["users"])


def fullness(row: Facts) -> str:
    """Return a window's tokens and where it rotates: `87k/130k`."""
    return f"{thousands(int(row['tokens']))}/{thousands(int(row['rotation']))}"


def thousands(count: int) -> str:
    """Return a count of tokens in few characters."""
    if count < 1_000:
        return str(count)
    return f"{count / 1_000:.1f}k" if count < 10_000 else f"{count / 1_000:.0f}k"


def share(found: float | None) -> str:
    """Return a share in per cent; a dash where it is not known."""
    return "-" if found is None else f"{found * 100:.0f} %"


def cached(totals: Facts) -> float | None:
    """Return the share of the prompt tokens that the provider read from its cache, None where it reported none."""
    read = int(totals["cache_read"])
    whole = read + int(totals["cache_write"]) + int(totals["input"])
    return read / whole if whole else None


def saved(totals: Facts) -> float | None:
    """Return the share of tokens that were not sent, None before the first request."""
    whole = int(totals["whole"])
    return 1 - min(1.0, int(totals["sent"]) / whole) if whole else None


def state(row: Facts) -> str:
    """Return what a person should know of a window, in a word or two."""
    found = [str(code) for code, _ in row["notices"] if code != ROTATED]
    if row["fault"]:
        found.insert(0, f"fault {row['fault']}")
    if row["forced"]:
        found.append("will rotate")
    return ", ".join(found) or "ok"


def target(arguments: Arguments) -> str:
    """Return the window that is meant: the one named, else this folder's last one; raise `NotFound`."""
    if arguments.given("session"):
        return arguments.text("session")
    rows = _listed(arguments, {"project": os.getcwd(), "limit": 1})  # noqa: PTH109 - pathlib costs a start
    if not rows:
        raise NotFound(
            "nothing passed through a window in this folder", hint="`una window status --all` lists them all."
        )
    return str(rows[0]["conversation"])


def _rotate(arguments: Arguments) -> int:
    answer = arguments.client().call("window.rotate", {"target": target(arguments)})
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    for conversation in answer["conversations"]:
        screen.line(
            f"{shown(human.short(str(conversation), 12))} begins a new epoch with one of its next requests"
        )
    return 0
