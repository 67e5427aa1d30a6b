"""una show: read a session."""

from __future__ import annotations

from unabridged.cli import human, reading
from unabridged.cli.safe import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments
    from unabridged.cli.screen import Screen

_ROLES = {"user": "green", "assistant": "cyan", "tool": "blue", "system": "dim"}


def run(arguments: Arguments) -> int:
    """Ask for a page of events and draw it."""
    client = arguments.client()
    asked: dict[str, Any] = {"target": reading.session_of(client, arguments.text("target"))}
    if arguments.given("limit"):
        asked["limit"] = arguments.number("limit")
    if arguments.given("cursor"):
        asked["cursor"] = arguments.text("cursor")
    if arguments.flag("reasoning"):
        asked["reasoning"] = True
    answer = client.call("show", asked)
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
        return 0
    if arguments.flag("jsonl"):
        for event in answer["events"]:
            screen.json(event)
    else:
        _draw_head(screen, answer["session"])
        for event in answer["events"]:
            _draw_event(screen, event)
    if answer.get("next"):
        screen.tell("next:", f"una show {arguments.text('target')} --cursor {answer['next']}", "cyan")
    return 0


def _draw_head(screen: Screen, session: Mapping[str, Any]) -> None:
    title = one_line(str(session.get("title") or "")) or "(no title)"
    screen.line(screen.style(screen.archived(title), "bold"))
    facts = [
        str(session["host"]),
        str(session["session"]),
        human.moment(str(session.get("started") or "")),
        human.plural(int(session.get("events") or 0), "event"),
        str(session.get("cwd") or ""),
    ]
    screen.line(screen.style(screen.archived(" · ".join(fact for fact in facts if fact)), "dim"))


def event_head(event: Mapping[str, Any]) -> str:
    """Return what an event is, in a few words: role, kind, tool, time."""
    kind = str(event.get("kind") or "")
    facts = [str(event.get("role") or ""), "" if kind == "text" else kind, str(event.get("tool") or "")]
    facts.append(human.moment(str(event.get("time") or "")))
    return " · ".join(fact for fact in facts if fact)


def _draw_event(screen: Screen, event: Mapping[str, Any]) -> None:
    style = _ROLES.get(str(event.get("role")), "dim")
    screen.line()
    head = f"── {event_head(event)}"
    screen.line(
        screen.style(screen.archived(head), style) + screen.style(f"  {event.get('event', '')}", "dim")
    )
    text = str(event.get("text") or "")
    screen.line(screen.archived(text.rstrip("\n")) if screen.terminal else text)
