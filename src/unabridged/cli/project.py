"""una project: which folders belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unabridged.cli import facts
from unabridged.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """List, show, link or unlink projects."""
    action = arguments.verb.name.split(" ", 1)[1]
    asked: dict[str, Any] = {"action": action}
    if action != "list":
        asked["path"] = _folder(arguments.text("path") or ".")
    if action == "link":
        asked["other"] = _folder(arguments.text("other"))
    answer = arguments.client().call("project", asked)
    screen = arguments.screen
    projects: list[dict[str, Any]] = answer["projects"]
    if arguments.flag("json"):
        screen.json(projects if action == "list" else answer)
    elif arguments.flag("jsonl"):
        for project in projects:
            screen.json(project)
    elif projects:
        facts.rows(screen, projects)
    else:
        screen.note("There is no project yet; `una import` makes them from what the transcripts record.")
    return 0


def _folder(path: str) -> str:
    return str(Path(path).expanduser().absolute())
