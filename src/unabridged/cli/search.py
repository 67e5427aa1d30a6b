"""una search, una grep: find passages."""

from __future__ import annotations

from unabridged.cli import human, passage
from unabridged.errors import IndexError_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments

_FAILED = IndexError_.exit_code


def run(arguments: Arguments) -> int:
    """Ask, draw the hits, say how complete the answer is."""
    if arguments.verb.name == "grep":
        operation, asked = "grep", _grep(arguments)
    else:
        operation, asked = "search", _search(arguments)
    answer = arguments.client().call(operation, asked)
    screen = arguments.screen
    failed = answer["status"] == "failed"
    if arguments.flag("json"):
        screen.json(answer)
        return _FAILED if failed else 0
    if arguments.flag("jsonl"):
        for hit in answer["hits"]:
            screen.json(hit)
    else:
        for place, hit in enumerate(answer["hits"], 1):
            passage.draw_hit(screen, place, hit)
        _draw_explained(arguments, answer)
    _close(arguments, answer)
    return _FAILED if failed else 0


def _search(arguments: Arguments) -> dict[str, Any]:
    asked = passage.request(arguments, ("limit", "semantic", "per-session"))
    asked["query"] = " ".join(arguments.list("query"))
    for name in ("operators", "explain"):
        if arguments.flag(name):
            asked[name] = True
    return asked


def _grep(arguments: Arguments) -> dict[str, Any]:
    asked = passage.request(arguments, ("limit",))
    asked["pattern"] = arguments.text("pattern")
    if arguments.flag("literal"):
        asked["literal"] = True
    if arguments.flag("ignore-case"):
        asked["ignore_case"] = True
    return asked


def _draw_explained(arguments: Arguments, answer: Mapping[str, Any]) -> None:
    for stage in answer.get("explain") or ():
        facts = "  ".join(f"{key}={value}" for key, value in stage.items())
        arguments.screen.line(arguments.screen.archived(facts))


def completeness(answer: Mapping[str, Any]) -> str:
    """Return in one sentence how complete an answer is; empty when it is and something was found."""
    account: Mapping[str, Any] = answer.get("account") or {}
    status = answer["status"]
    told = str(account.get("message") or "")
    sentences = {
        "empty": "Nothing found; everything archived was searched.",
        "index-behind": "The index is behind the archive: the newest text may be missing.",
        "partial": "Some text could not be searched.",
        "failed": "The search failed.",
    }
    sentence = told or sentences.get(status, "")
    behind = account.get("behind")
    if status == "index-behind" and behind:
        sentence += f" ({human.plural(int(behind), 'entry', 'entries')})"
    if account.get("narrowed"):
        sentence = f"{sentence} The scope was narrowed to what is granted.".strip()
    return sentence


def _close(arguments: Arguments, answer: Mapping[str, Any]) -> None:
    screen = arguments.screen
    sentence = completeness(answer)
    if sentence:
        screen.note(sentence)
    if answer.get("next"):
        screen.tell("next:", f"the same with --cursor {answer['next']}", "cyan")
