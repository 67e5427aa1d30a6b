"""una outbox: the events of hosts that could not be applied."""

from __future__ import annotations

from typing import Any

from unabridged.cli import facts, human
from unabridged.cli.arguments import Arguments
from unabridged.cli.status import outbox

_SHOWN = ("id", "host", "event", "session", "attempts", "code", "message")


def run(arguments: Arguments) -> int:
    """List, replay or drop them."""
    action = arguments.verb.name.split(" ", 1)[1]
    asked: dict[str, Any] = {"action": action}
    if action != "list":
        asked["ids"] = arguments.list("ids")
    answer = arguments.client().call("outbox", asked)
    screen = arguments.screen
    entries: list[dict[str, Any]] = answer["entries"]
    if arguments.flag("json"):
        screen.json(answer)
    elif arguments.flag("jsonl"):
        for entry in entries:
            screen.json(entry)
    elif action == "list":
        screen.line(f"outbox: {outbox(answer['outbox'])}")
        if entries:
            facts.rows(screen, [{name: entry[name] for name in _SHOWN} for entry in entries])
    else:
        done = "to be tried again" if action == "replay" else "dropped"
        screen.line(f"outbox: {human.plural(answer['changed'], 'event')} {done}")
    return 0
