"""Draws nested facts, as status, stats, doctor give them, without knowing each of them."""

from __future__ import annotations

import time

from unabridged.cli import human
from unabridged.cli.safe import one_line
from unabridged.cli.table import draw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from unabridged.cli.screen import Screen

_SIZES = ("bytes", "size", "memory", "reclaimable")
_MOMENTS = ("started", "ended", "growth", "created")
# Numbers that are names: no thousands apart.
_NAMES = ("pid", "port", "workers", "version")
# Seconds since 1970 from which a number under such a name is a time (2001), not a count.
_EPOCH = 1_000_000_000


def shown(name: str, value: Any, sizes: bool = False) -> str:
    """Return a plain value for people; its name tells sizes, spans and times from other numbers.

    sizes: every whole number is one.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(name.split("_"), value, sizes)
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return ", ".join(shown(name, item, sizes) for item in items)
    if isinstance(value, dict):
        named: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return "  ".join(f"{key} {shown(key, item)}" for key, item in named.items())
    if value is None:
        return ""
    text = str(value)
    return human.moment(text) + " UTC" if _is_moment(text) else text


def _number(words: list[str], value: float, sizes: bool) -> str:
    last = words[-1]
    if any(word in _SIZES for word in words) or (sizes and isinstance(value, int)):
        return human.size(value)
    if last == "seconds":
        return human.span(value)
    if last in ("ms", "milliseconds", "waited"):
        return f"{value:,.1f} ms"
    if last in _MOMENTS and (not value or value >= _EPOCH):
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(value)) if value else ""
    return human.number(value) if isinstance(value, int) and last not in _NAMES else f"{value:g}"


def _is_moment(text: str) -> bool:
    return len(text) >= 20 and text[4] == "-" and text[10] == "T" and text.endswith("Z")


def tell(screen: Screen, heading: str, facts: Mapping[str, Any], sizes: bool = False) -> None:
    """Write a heading and its facts, one a line; nested facts are indented, empty ones left out."""
    screen.line(screen.style(heading, "bold"))
    _tell(screen, facts, 1, sizes)


def _tell(screen: Screen, facts: Mapping[str, Any], depth: int, sizes: bool) -> None:
    indent = "  " * depth
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        label = name.replace("_", " ").ljust(width)
        if isinstance(value, dict):
            inner: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
            if inner:
                screen.line(f"{indent}{label.rstrip()}")
                _tell(screen, inner, depth + 1, sizes)
            continue
        text = shown(name, value, sizes)
        if text:
            screen.line(f"{indent}{screen.style(label, 'dim')}  {screen.archived(text)}")


def rows(screen: Screen, facts: Sequence[Mapping[str, Any]]) -> None:
    """Write a list of facts as a table whose columns are their plain fields."""
    heads: dict[str, None] = {}
    for row in facts:
        heads.update({name: None for name, value in row.items() if not isinstance(value, dict)})
    names = list(heads)
    numeric = [
        index
        for index, name in enumerate(names)
        if all(
            isinstance(row.get(name, 0), int | float) and not isinstance(row.get(name), bool) for row in facts
        )
    ]
    cells = [[one_line(screen.archived(shown(name, row.get(name)))) for name in names] for row in facts]
    draw(screen, [name.replace("_", " ") for name in names], cells, right=numeric, flexible=len(names) - 1)
