"""Draws a result as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unabridged.bench.figures import at

GAP = "  "
BUSY = (
    "The machine was busy: absolute times mean little, and our workers, which give way to other programs (the rival "
    "does not), look slower than they are."
)
MOST_WORDS = 78  # columns of a note's line


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of one bench's result: what was measured under, figures, goals, notes."""
    conditions: Mapping[str, Any] = result["conditions"]
    corpus: Mapping[str, Any] = conditions["corpus"]
    yield f"{result['bench']}  size {conditions['size']:,}, seed {conditions['seed']}"
    machine: Mapping[str, Any] = result["machine"]
    yield (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB, {machine['system']}, "
        f"Python {machine['python']}, load {machine['load'][0]:.1f}"
    )
    yield f"text: {corpus['files']:,} files of this machine, {corpus['digest']}"
    if machine["busy"]:
        yield BUSY
    yield ""
    yield from table(("quantity", "ours", "rival", "ours is better by"), rows(result), right=(1, 2, 3))
    goals: Sequence[Mapping[str, Any]] = result["goals"]
    if goals:
        yield ""
        heads = ("goal", "wanted", "measured", "")
        drawn = [(goal["goal"], goal["wanted"], shown(goal["measured"]), verdict(goal)) for goal in goals]
        yield from table(heads, drawn, right=(2,))
    yield ""
    for note in result["notes"]:
        yield from _wrapped(note)


def rows(result: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return (quantity, ours, rival's, ratio) of every figure; what only the rival has stands there alone."""
    paths = dict.fromkeys([*leaves(result["figures"]), *leaves(result["rival"])])
    found = list[tuple[str, str, str, str]]()
    for path in paths:
        ratio = at(result["ratio"], path.removesuffix("_ms"))
        ours, theirs = at(result["figures"], path), at(result["rival"], path)
        better = f"{shown(ratio)} ×" if ratio is not None else ""
        found.append((_name(path), shown(ours), shown(theirs), better))
    for path in leaves(result["ratio"]):
        if at(result["figures"], path) is None and at(result["figures"], f"{path}_ms") is None:
            found.append((_name(path), "", "", f"{shown(at(result['ratio'], path))} ×"))
    return found


def leaves(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the dotted path of every value."""
    for name, value in values.items():
        path = f"{above}.{name}" if above else name
        if isinstance(value, Mapping):
            yield from leaves(value, path)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield path


def verdict(goal: Mapping[str, Any]) -> str:
    """Return how a goal came out, in words."""
    if goal["met"] is None:
        return "not measured"
    said = "met" if goal["met"] else "not met"
    return said if goal["comparable"] else f"{said}, under easier conditions than the goal's"


def shown(value: Any) -> str:
    """Return a figure as it is read."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(heads: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Yield the lines of a table; columns in `right` are aligned at their end."""
    widths = [max(len(row[at]) for row in (heads, *cells)) for at in range(len(heads))]
    for row in (heads, *cells):
        drawn = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield GAP.join(drawn).rstrip()


def _name(path: str) -> str:
    return path.replace(".", " ").replace("_", " ")


def _wrapped(text: str) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + len(word) + 1 > MOST_WORDS:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line
