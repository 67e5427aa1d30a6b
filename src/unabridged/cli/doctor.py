"""una doctor: look for what is wrong."""

from __future__ import annotations

from unabridged.cli.arguments import Arguments
from unabridged.cli.progress import Progress


def run(arguments: Arguments) -> int:
    """Run every check; exit status 1 when one of them still fails."""
    screen = arguments.screen
    with Progress(screen, "checking") as progress:
        answer = arguments.client().call(
            "doctor", {"fix": True} if arguments.flag("fix") else {}, on_progress=progress.update
        )
    if arguments.flag("json"):
        screen.json(answer)
        return 0 if answer["ok"] else 1
    for check in answer["checks"]:
        mark = screen.style("ok   ", "green") if check["ok"] else screen.style("wrong", "red")
        if check.get("fixed"):
            mark = screen.style("fixed", "yellow")
        screen.line(f"{mark}  {check['check']}  {screen.archived(str(check.get('detail') or ''))}".rstrip())
        if not check["ok"] and check.get("hint"):
            screen.line(f"       {check['hint']}")
    wrong = sum(1 for check in answer["checks"] if not check["ok"])
    if wrong and not arguments.flag("fix"):
        screen.tell("hint:", "`una doctor --fix` repairs what can be repaired safely.", "yellow")
    return 0 if answer["ok"] else 1
