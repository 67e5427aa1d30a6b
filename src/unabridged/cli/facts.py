"""Draws nested facts, as status, stats, doctor give them, without knowing each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from unabridged.cli import human
from unabridged.cli.screen import Screen
from unabridged.cli.table import draw

_SIZES = ("bytes", "size", "disk", "memory", "rss", "free")


def shown(name: str, value: Any) -> str:
    """Return a plain value for people; its name tells sizes, spans and times from other numbers."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    last = name.rsplit("_", 1)[-1]
    if isinstance(value, int | float):
        if last in _SIZES:
            return human.size(value)
        if last == "seconds":
            return human.span(value)
        if last == "ms":
            return f"{value:,.1f} ms"
        return human.number(value) if isinstance(value, int) and last not in ("pid", "port") else f"{value:g}"
    if isinstance(value, list):
        return ", ".join(shown(name, item) for item in cast("list[Any]", value))
    if value is None:
        return ""
    text = str(value)
    return human.moment(text) + " UTC" if _is_moment(text) else text


def _is_moment(text: str) -> bool:
    return len(text) >= 20 and text[4] == "-" and text[10] == "T" and text.endswith("Z")


def tell(screen: Screen, heading: str, facts: Mapping[str, Any]) -> None:
    """Write a heading and its facts, one a line; nested facts are indented, empty ones left out."""
    screen.line(screen.style(heading, "bold"))
    _tell(screen, facts, 1)


def _tell(screen: Screen, facts: Mapping[str, Any], depth: int) -> None:
    indent = "  " * depth
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        label = name.replace("_", " ").ljust(width)
        if isinstance(value, Mapping):
            if value:
                screen.line(f"{indent}{label.rstrip()}")
                _tell(screen, cast("Mapping[str, Any]", value), depth + 1)
            continue
        text = shown(name, value)
        if text:
            screen.line(f"{indent}{screen.style(label, 'dim')}  {screen.archived(text)}")


def rows(screen: Screen, facts: Sequence[Mapping[str, Any]]) -> None:
    """Write a list of facts as a table whose columns are their plain fields."""
    heads: dict[str, None] = {}
    for row in facts:
        heads.update({name: None for name, value in row.items() if not isinstance(value, Mapping)})
    names = list(heads)
    numeric = [
        index
        for index, name in enumerate(names)
        if all(
            isinstance(row.get(name, 0), int | float) and not isinstance(row.get(name), bool) for row in facts
        )
    ]
    cells = [[screen.archived(shown(name, row.get(name))) for name in names] for row in facts]
    draw(screen, [name.replace("_", " ") for name in names], cells, right=numeric, flexible=len(names) - 1)
