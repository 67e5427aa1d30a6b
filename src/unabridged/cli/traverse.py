"""una traverse: a conversation around one place."""

from __future__ import annotations

from unabridged.cli import passage, piece
from unabridged.cli.recall import problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from unabridged.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Ask for a page, draw it, show how to go on to both sides."""
    target = arguments.text("target")
    asked: dict[str, Any] = {"target": target}
    for name in ("before", "after", "max-tokens"):
        if arguments.given(name):
            asked[name.replace("-", "_")] = arguments.number(name)
    for name, field in (("kind", "kinds"), ("role", "roles")):
        if arguments.given(name):
            asked[field] = arguments.list(name)
    for name in ("scope", "cursor"):
        if arguments.given(name):
            asked[name] = arguments.text(name)
    if arguments.given("project"):
        asked["project"] = passage.project(arguments)
    answer = arguments.client().call("traverse", asked)
    problem = problem_of(answer)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return problem.exit_code if problem else 0
    if problem is not None:
        raise problem
    if arguments.flag("jsonl"):
        for step in answer["steps"]:
            screen.json(step)
    else:
        piece.draw(arguments, answer["steps"])
    for side in ("before", "next"):
        if answer.get(side):
            screen.tell(f"{side}:", f"the same with --cursor {answer[side]}", "cyan")
    return 0
