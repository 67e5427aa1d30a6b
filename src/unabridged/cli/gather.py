"""una gather: evidence for a question, oldest first."""

from __future__ import annotations

from unabridged.cli import human, passage, piece
from unabridged.cli.search import completeness
from unabridged.errors import IndexError_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments

_NUMBERS = ("max-tokens", "max-evidence", "before", "after")
_FAILED = IndexError_.exit_code


def run(arguments: Arguments) -> int:
    """Ask, draw the evidence, say what did not fit."""
    asked = passage.request(arguments, ("limit", "semantic", "relation"))
    asked["query"] = passage.words(arguments, "question")
    for name in _NUMBERS:
        if arguments.given(name):
            asked[name.replace("-", "_")] = arguments.number(name)
    if arguments.given("intent"):
        asked["intent"] = arguments.text("intent")
    if arguments.flag("operators"):
        asked["operators"] = True
    answer = arguments.client().call("gather", asked)
    screen = arguments.screen
    status = _FAILED if answer["status"] == "failed" else 0
    if arguments.flag("json"):
        screen.json(answer)
        return status
    if arguments.flag("jsonl"):
        for item in answer["evidence"]:
            screen.json(item)
    else:
        piece.draw(arguments, answer["evidence"])
        _draw_conflicts(arguments, answer)
    _close(arguments, answer)
    return status


def _draw_conflicts(arguments: Arguments, answer: Mapping[str, Any]) -> None:
    screen = arguments.screen
    for item in answer.get("conflicts") or ():
        cue, shared = screen.archived(str(item["cue"])), screen.archived(str(item["shared"]))
        told = f"{item['later']} may take back {item['earlier']}: \u201c{cue}\u201d, of {shared}"
        if item["by"] == "correction":
            told = f"{item['later']} corrects {item['earlier']}"
        screen.line(screen.style("conflict:", "yellow") + " " + told)


def _close(arguments: Arguments, answer: Mapping[str, Any]) -> None:
    screen = arguments.screen
    account: Mapping[str, Any] = answer.get("account") or {}
    sentence = completeness({**answer, "hits": answer["evidence"]})
    if sentence:
        screen.note(sentence)
    told: list[str] = []
    if account.get("cut"):
        told.append(f"{human.plural(int(account['cut']), 'piece')} cut")
    if account.get("left"):
        told.append(f"{human.number(int(account['left']))} left out")
    if told:
        screen.note(
            f"Not all of it fits {human.number(int(account['max_tokens']))} tokens: {', '.join(told)}."
        )
    if answer.get("next"):
        screen.tell("next:", f"the same with --cursor {answer['next']}", "cyan")
