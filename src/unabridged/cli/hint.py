"""una hint: what an agent is told beside a message."""

from __future__ import annotations

from unabridged.cli import passage, texts
from unabridged.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from unabridged.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Ask, print the text as a model gets it; the reason goes to standard error."""
    if not arguments.given("session"):
        raise InvalidInput(
            "`una hint` needs the session that the message is in", hint="una hint --session ID 'MESSAGE'"
        )
    missing = InvalidInput(
        "`una hint` needs a message", hint="una hint --session ID 'MESSAGE', or pipe one into it."
    )
    message = texts.given(arguments.list("message"), missing)
    asked: dict[str, Any] = {"message": message, "session": arguments.text("session")}
    for name in ("host", "key", "scope"):
        if arguments.given(name):
            asked[name] = arguments.text(name)
    if arguments.given("project"):
        asked["project"] = passage.project(arguments)
    if arguments.flag("frozen"):
        asked["frozen"] = True
    answer = arguments.client().call("hint", asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    if answer["text"]:
        screen.line(screen.archived(str(answer["text"])))
    said = f"{answer['outcome']}: {answer['reason']}"
    if answer["text"]:
        said += f", {answer['tokens']} tokens, {answer['left']} left"
    if answer["cache_break"]:
        said += "; an erasure took its text, so a cached prompt ends before it"
    screen.note(said + (" (decided before)" if answer["replayed"] else ""))
    return 0
