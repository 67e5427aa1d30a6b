"""una why: the reasons of the last decisions."""

from __future__ import annotations

from unabridged.cli import human, passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments

ID_CHARS = 12  # of an id that is shown


def run(arguments: Arguments) -> int:
    """Ask, and draw one block a decision."""
    asked: dict[str, Any] = {}
    if arguments.given("limit"):
        asked["limit"] = arguments.number("limit")
    for name in ("session", "scope"):
        if arguments.given(name):
            asked[name] = arguments.text(name)
    if arguments.given("project"):
        asked["project"] = passage.project(arguments)
    answer = arguments.client().call("why", asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    if arguments.flag("jsonl"):
        for item in answer["decisions"]:
            screen.json(item)
        return 0
    for item in answer["decisions"]:
        _draw(arguments, item)
    _close(arguments, answer)
    return 0


def _draw(arguments: Arguments, item: Mapping[str, Any]) -> None:
    screen = arguments.screen
    head = f"{item['time'][:19].replace('T', ' ')}  {item['kind']}  {item['outcome']}"
    screen.line(screen.style(head, "bold") + f"  {item['reason']}")
    if item["explanation"]:
        screen.line(f"  {item['explanation']}")
    session = str(item["session"])[:ID_CHARS]
    key = screen.archived(str(item["key"]))
    screen.line(f"  session {session}  message {key}  {item['tokens']} of {item['budget']} tokens")
    for source in item["considered"]:
        marks = ", ".join(source["marks"])
        told = (
            f"  looked at {source['id'][:ID_CHARS]}  share {source['share']:.2f}  score {source['score']:.1f}"
        )
        screen.line(told + (f"  {marks}" if marks else ""))
    for source in item["rests"]:
        screen.line(f"  rests {source['id'][:ID_CHARS]}  until {source['until'][:19].replace('T', ' ')}")
    if item["emptied"]:
        screen.line(f"  emptied by an erasure {item['emptied'][:19].replace('T', ' ')}")


def _close(arguments: Arguments, answer: Mapping[str, Any]) -> None:
    screen, limits = arguments.screen, answer["limits"]
    if not answer["decisions"]:
        screen.note("No agent here was told anything yet, or asked for it.")
        screen.tell("hint:", "`una install` has your agents ask, once a message.", "yellow")
    told = f"Hints are {'on' if limits['enabled'] else 'off'}: {limits['message_tokens']} tokens a message, "
    told += f"{human.number(int(limits['active_tokens']))} a conversation"
    if answer["left"] is not None:
        told += f" ({human.number(int(answer['left']))} left)"
    screen.note(f"{told}; a source rests {limits['rest_hours']:g} h.")
