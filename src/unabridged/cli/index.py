"""una index: the search index."""

from __future__ import annotations

from typing import Any

from unabridged.cli import facts
from unabridged.cli.arguments import Arguments
from unabridged.cli.progress import Progress
from unabridged.errors import IndexError_


def run(arguments: Arguments) -> int:
    """Show, rebuild or verify the index."""
    action = arguments.verb.name.split(" ", 1)[1]
    asked: dict[str, Any] = {"action": action}
    if arguments.flag("no-wait"):
        asked["wait"] = False
    screen = arguments.screen
    with Progress(screen, "rebuilding" if action == "rebuild" else "checking") as progress:
        answer = arguments.client().call("index", asked, on_progress=progress.update)
    if arguments.flag("json"):
        screen.json(answer)
    else:
        facts.tell(screen, "index: " + ("ok" if answer["ok"] else "not ok"), answer["status"])
    return 0 if answer["ok"] else IndexError_.exit_code
