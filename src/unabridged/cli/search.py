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
    asked = passage.request(arguments, ("limit", "semantic", "per-session", "relation"))
    asked["query"] = passage.words(arguments, "query")
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
    if arguments.flag("explain"):
        for item in answer["account"].get("times") or ():
            facts = "  ".join(f"{key}={value}" for key, value in item.items())
            arguments.screen.line(arguments.screen.archived(f"time  {facts}"))
    for stage in answer.get("explain") or ():
        facts = "  ".join(f"{key}={value}" for key, value in stage.items())
        arguments.screen.line(arguments.screen.archived(facts))


def completeness(answer: Mapping[str, Any]) -> str:
    """Return in a sentence or two how complete an answer is; empty when it is and something was found."""
    account: Mapping[str, Any] = answer.get("account") or {}
    left_out: Mapping[str, Any] = account.get("left_out") or {}
    status = answer["status"]
    told: list[str] = []
    if status == "index-behind":
        behind = human.plural(int(account.get("behind") or 0), "log entry", "log entries")
        told.append(f"The index is {behind} behind the archive: the newest text may be missing.")
    elif status == "partial":
        unreadable = int(left_out.get("unreadable") or account.get("unreadable") or 0)
        told.append(f"{human.plural(unreadable, 'passage')} could not be read: `una verify` tells why.")
    elif status == "failed":
        failed: Mapping[str, Any] = account.get("failed") or {}
        why = ", ".join(f"{stage}: {code}" for stage, code in failed.items())
        if "no-index" in failed.values():
            told.append("There is no index yet: `una import` archives your transcripts and makes one.")
        else:
            told.append(f"The search failed ({why})." if why else "The search failed.")
    elif status == "empty":
        where = "everything archived" if account.get("scope", "all") == "all" else "all that is in scope"
        told.append(f"Nothing found; {where} was searched.")
    filtered = int(left_out.get("filters") or 0)
    if filtered and not answer["hits"]:
        told.append(f"The filters left {human.plural(filtered, 'passage')} out.")
    if account.get("relation"):
        told.append(_relation(account["relation"]))
    if account.get("narrowed"):
        told.append("The scope was narrowed to what is granted.")
    if meaning := _meaning(account):
        told.append(meaning)
    return " ".join(told)


def _meaning(account: Mapping[str, Any]) -> str:
    """Return what an answer lacks because meaning could not take part, or not with everything."""
    said, behind = str(account.get("semantic") or ""), int(account.get("semantic_behind") or 0)
    if said == "used":
        return f"{human.plural(behind, 'log entry', 'log entries')} not embedded yet." if behind else ""
    if said == "not-installed":
        return "Words alone were searched: no sentence model is installed (`una models install`)."
    if said == "starting":
        return "Words alone were searched: the sentence model is still being loaded."
    return f"Words alone were searched ({said})." if said and said not in ("not-needed", "off") else ""


def _relation(facts: Mapping[str, Any]) -> str:
    """Return in a sentence whether what a question asks for by its part in a conversation was found."""
    what = f"The {str(facts['relation']).replace('-', ' ')}" + (" about that" if facts.get("topic") else "")
    if facts["status"] == "resolved":
        return f"{what}: resolved."
    if facts["status"] == "ambiguous":
        return f"{what}: {'it may be any of these' if facts['told'] else 'none is certain'}."
    looked: Mapping[str, Any] = facts["looked"]
    reach = ""
    if not facts["complete"] and looked["back_to"]:
        reach = f" back to {human.moment(str(looked['back_to']))}; what is older was not looked at"
    return f"{what}: not found in {human.plural(int(looked['messages']), 'message')}{reach}."


def _close(arguments: Arguments, answer: Mapping[str, Any]) -> None:
    screen = arguments.screen
    sentence = completeness(answer)
    if sentence:
        screen.note(sentence)
    if answer.get("next"):
        screen.tell("next:", f"the same with --cursor {answer['next']}", "cyan")
