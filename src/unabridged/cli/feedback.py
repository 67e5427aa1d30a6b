"""una feedback: what is counted of the passages that were recalled."""

from __future__ import annotations

from unabridged.cli import facts, human

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unabridged.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Show it, or forget it."""
    action = arguments.text("action") or "status"
    answer = arguments.client().call("feedback", {"action": action})
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
    elif action == "clear":
        screen.line(f"forgot the counts of {human.plural(answer['cleared'], 'passage')}")
    else:
        facts.tell(screen, "feedback", answer["feedback"])
    return 0
