"""una stats: counts, sizes."""

from __future__ import annotations

from unabridged.cli import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unabridged.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Show totals, projects, disk use, operations."""
    answer = arguments.client().call("stats", {})
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    for name in ("totals", "disk", "feedback"):
        if answer.get(name):
            facts.tell(screen, name, answer[name], sizes=name == "disk")
    for name in ("projects", "operations"):
        if answer.get(name):
            screen.line(screen.style(name, "bold"))
            facts.rows(screen, answer[name])
    return 0
