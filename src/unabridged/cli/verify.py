"""una verify: check every stored record."""

from __future__ import annotations

from typing import Any

from unabridged.cli import human, passage
from unabridged.cli.arguments import Arguments
from unabridged.cli.progress import Progress
from unabridged.errors import Corrupt


def run(arguments: Arguments) -> int:
    """Check; list every violation; exit status 7 when there is one."""
    screen = arguments.screen
    asked: dict[str, Any] = {"deep": not arguments.flag("quick")}
    if arguments.given("project"):
        asked["project"] = passage.project(arguments)
    with Progress(screen, "verifying") as progress:
        answer = arguments.client().call("verify", asked, on_progress=progress.update)
    status = 0 if answer["ok"] else Corrupt.exit_code
    if arguments.flag("json"):
        screen.json(answer)
        return status
    checked = ", ".join(f"{human.number(int(count))} {name}" for name, count in answer["checked"].items())
    screen.line(f"checked {checked} in {human.span(float(answer['seconds']))}")
    for violation in answer["violations"]:
        words = "  ".join(f"{value}" for value in violation.values() if value not in ("", None))
        screen.line(f"  {screen.style('damaged', 'red')}  {screen.archived(words)}")
    if answer["ok"]:
        screen.line(screen.style("everything is as it was written", "green"))
    return status
