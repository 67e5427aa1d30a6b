"""Draws pieces of conversations: who says it and when, the text, how to recall it."""

from __future__ import annotations

from unabridged.cli import human

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from unabridged.cli.arguments import Arguments

_ROLES = {"user": "green", "assistant": "cyan", "tool": "blue", "system": "dim"}


def draw(arguments: Arguments, pieces: Sequence[Mapping[str, Any]]) -> None:
    """Write pieces in their order; as quoted data for a model when --envelope was given."""
    screen = arguments.screen
    for number, item in enumerate(pieces):
        if arguments.flag("envelope"):
            from unabridged.retrieve.envelope import envelope  # costs what only a model's reader needs

            screen.line(envelope(str(item["text"]), _facts(item)))
            continue
        if number:
            screen.line()
        head = " · ".join(fact for fact in (str(item.get("host", "")), _what(item)) if fact)
        mark = screen.style("──", _ROLES.get(str(item.get("role")), "dim"))
        screen.line(
            f"{mark} {screen.style(screen.archived(head), 'dim')}  {screen.style(_place(item), 'dim')}"
        )
        text = str(item["text"])
        screen.line(screen.archived(text.rstrip("\n")) if screen.terminal else text)


def _what(item: Mapping[str, Any]) -> str:
    kind = str(item.get("kind") or "")
    facts = [str(item.get("role") or ""), "" if kind == "text" else kind, str(item.get("tool") or "")]
    facts.append(human.moment(str(item.get("time") or "")))
    return " · ".join(fact for fact in facts if fact)


def _place(item: Mapping[str, Any]) -> str:
    """Return what recalls a piece, and how much of its message is not shown."""
    found = str(item.get("handle") or item.get("locator") or "")
    omitted = _omitted(item)
    found += f" · now {item['replaced_by']}" if item.get("replaced_by") else ""
    return f"{found} · {human.size(omitted)} more" if omitted else found


def _omitted(item: Mapping[str, Any]) -> int:
    """Return how many bytes of its message a piece leaves out."""
    omitted: Mapping[str, int] = item.get("omitted") or {}
    return sum(omitted.values())


def _facts(item: Mapping[str, Any]) -> dict[str, str]:
    keys: Sequence[str] = item.get("source_keys") or ()
    return {
        "handle": str(item.get("handle", "")),
        "source": keys[0] if keys else "",
        "time": str(item.get("time", "")),
        "role": str(item.get("role", "")),
        "kind": str(item.get("kind", "")),
        "omitted": str(_omitted(item) or ""),
    }
