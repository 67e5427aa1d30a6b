"""una status, and una alone: how things are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unabridged.cli import facts
from unabridged.cli.arguments import Arguments
from unabridged.cli.screen import Screen


def run(arguments: Arguments) -> int:
    """Show the state of archive, index, daemon, hosts, with every problem."""
    answer = arguments.client().call("status", {})
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
    else:
        draw(screen, answer)
    return 0 if answer["ok"] else 1


def draw(screen: Screen, answer: Mapping[str, Any]) -> None:
    """Write the status for people."""
    state = screen.style("ok", "green") if answer["ok"] else screen.style("not ok", "red")
    screen.line(f"unabridged {answer['version']}: {state}")
    for name in ("store", "index", "daemon"):
        if answer.get(name):
            facts.tell(screen, name, answer[name])
    if answer.get("hosts"):
        screen.line(screen.style("hosts", "bold"))
        facts.rows(screen, answer["hosts"])
    draw_problems(screen, answer)


def draw_problems(screen: Screen, answer: Mapping[str, Any]) -> None:
    """Write each problem with what can be done about it."""
    for problem in answer.get("problems") or ():
        screen.tell("problem:", str(problem.get("message") or problem.get("code") or problem), "yellow")
        if problem.get("hint"):
            screen.tell("hint:", str(problem["hint"]), "yellow")
