"""Plots of what sessions cost: on a terminal, and as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

import msgspec

from unabridged.errors import InvalidInput
from unabridged.eval.economy import DRAWN, Curves

HERE = "-"  # names the terminal instead of a file
SUFFIX = ".svg"

ROWS = 14  # of a plot on a terminal, without its axis
LABEL = 9  # columns of the numbers beside it
LEAST_COLUMNS = 20
DOTS_ACROSS, DOTS_DOWN = 2, 4  # of one braille character
BRAILLE = 0x2800
DOTTED = "\u28ff"  # all dots: beside a name
# Unicode's order of the dots of a character, by column and row (chapter 21.1, Braille).
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))

WIDTH, HEIGHT = 760, 260  # of one plot as SVG, in pixels
LEFT, RIGHT, TOP, BOTTOM = 70, 16, 34, 30
TICKS = 4

# By policy: colour on a terminal, colour in SVG (told apart also without seeing red and green: Okabe and Ito), sign
# where there are no colours.
LOOKS: Mapping[str, tuple[str, str, str]] = {
    "none": ("red", "#D55E00", "n"),
    "sliding": ("yellow", "#E69F00", "s"),
    "compaction": ("blue", "#0072B2", "c"),
    "epoch": ("green", "#009E73", "e"),
}
Style = Callable[..., str]


class Line(msgspec.Struct, frozen=True):
    """One policy's curve: a value at each x."""

    name: str
    points: tuple[tuple[float, float], ...]


class Figure(msgspec.Struct, frozen=True):
    """One plot. `borders`: values of x where a session begins."""

    title: str
    lines: tuple[Line, ...]
    unit: str = ""
    borders: tuple[float, ...] = ()

    @property
    def across(self) -> float:
        """The largest x, at least 1."""
        return max((x for line in self.lines for x, _ in line.points), default=0) or 1.0

    @property
    def up(self) -> float:
        """The largest y, above 0."""
        return max((y for line in self.lines for _, y in line.points), default=0) or 1.0


def check(target: str) -> None:
    """Raise `InvalidInput` for a target that no plot can be written to."""
    if target and target != HERE and Path(target).suffix.lower() != SUFFIX:
        raise InvalidInput(
            "a plot is written as SVG",
            field="plot",
            hint="Give a file that ends in .svg, or `-` for the terminal.",
        )


def figures(curves: Curves, window: int) -> list[Figure]:
    """Return the plots: tokens of each prompt, and dollars of the input so far."""
    borders = tuple(float(border) for border in curves.borders)
    tokens = [
        Line(name, tuple((float(one.request), float(one.tokens)) for one in points))
        for name, points in curves.points.items()
    ]
    dollars = [
        Line(name, tuple((float(one.request), one.cost) for one in points))
        for name, points in curves.points.items()
    ]
    return [
        Figure(f"tokens of each prompt, window {window:,}", tuple(tokens), borders=borders),
        Figure(f"dollars of the input so far (cache: {DRAWN})", tuple(dollars), "$", borders),
    ]


def number(value: float, unit: str = "") -> str:
    """Return a value as an axis shows it."""
    if unit == "$":
        return f"${value:,.2f}" if value < 100 else f"${value:,.0f}"
    if value >= 1_000_000:
        return f"{value / 1_000_000:.1f} M"
    return f"{value / 1_000:.0f} k" if value >= 10_000 else f"{value:,.0f}"


# --- on a terminal ------------------------------------------------------------------------------------------------


def drawn(plots: Sequence[Figure], width: int, style: Style) -> Iterator[str]:
    """Yield the lines of plots, at most `width` columns wide. Without colours, each policy has a letter."""
    coloured = style("x", "red") != "x"
    columns = max(width - LABEL - 2, LEAST_COLUMNS)
    for figure in plots:
        yield style(figure.title, "bold")
        canvas = _braille(figure, columns, style) if coloured else _letters(figure, columns)
        for row, cells in enumerate(canvas):
            at = (ROWS - 1 - row) / (ROWS - 1) * figure.up
            label = number(at, figure.unit) if row % 4 == 0 or row == ROWS - 1 else ""
            yield f"{label:>{LABEL}} ┤{cells}".rstrip()
        yield " " * (LABEL + 1) + "└" + "─" * columns
        last = f"{figure.across + 1:,.0f}"
        yield " " * (LABEL + 2) + "1" + "requests".center(columns - 1 - len(last)) + last
        yield _keys(figure, width, style, coloured=coloured)
        yield ""


def _keys(figure: Figure, width: int, style: Style, *, coloured: bool) -> str:
    """Return which curve is whose."""
    signs = [(DOTTED if coloured else LOOKS[line.name][2]) + " " + line.name for line in figure.lines]
    narrow = LABEL + 2 + len("   ".join(signs)) > width
    shown = [style(sign, LOOKS[line.name][0]) for sign, line in zip(signs, figure.lines, strict=True)]
    return " ".join(shown) if narrow else " " * (LABEL + 2) + "   ".join(shown)


def _braille(figure: Figure, columns: int, style: Style) -> list[str]:
    across, down = columns * DOTS_ACROSS, ROWS * DOTS_DOWN
    bits = [[0] * columns for _ in range(ROWS)]
    colours = [[""] * columns for _ in range(ROWS)]
    for line in figure.lines:
        for x, y in _dots(figure, line, across, down):
            row, column = y // DOTS_DOWN, x // DOTS_ACROSS
            bits[row][column] |= DOTS[x % DOTS_ACROSS][y % DOTS_DOWN]
            colours[row][column] = LOOKS[line.name][0]
    return [_coloured(row, beside, style) for row, beside in zip(bits, colours, strict=True)]


def _coloured(bits: Sequence[int], colours: Sequence[str], style: Style) -> str:
    """Return a row of characters, each run of one colour styled once."""
    cells = [(chr(BRAILLE + bit) if bit else " ", colour) for bit, colour in zip(bits, colours, strict=True)]
    runs = groupby(cells, key=lambda cell: cell[1])
    return "".join(
        style("".join(char for char, _ in run), colour) if colour else "".join(char for char, _ in run)
        for colour, run in runs
    )


def _letters(figure: Figure, columns: int) -> list[str]:
    cells = [[" "] * columns for _ in range(ROWS)]
    for line in figure.lines:
        for x, y in _dots(figure, line, columns, ROWS):
            cells[y][x] = LOOKS[line.name][2]
    return ["".join(row) for row in cells]


def _dots(figure: Figure, line: Line, across: int, down: int) -> Iterator[tuple[int, int]]:
    """Yield the dots of a curve, without gaps: x from the left, y from the top."""
    before: tuple[int, int] | None = None
    for x, y in line.points:
        dot = (round(x / figure.across * (across - 1)), round((1 - y / figure.up) * (down - 1)))
        start = before or dot
        steps = max(abs(dot[0] - start[0]), abs(dot[1] - start[1]), 1)
        for step in range(steps + 1):
            part = step / steps
            yield round(start[0] + part * (dot[0] - start[0])), round(start[1] + part * (dot[1] - start[1]))
        before = dot


# --- as SVG -------------------------------------------------------------------------------------------------------


def svg(plots: Sequence[Figure]) -> str:
    """Return the plots as one SVG document, one above the other."""
    height = HEIGHT * len(plots)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            'font-family="sans-serif" font-size="12" role="img">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for at, figure in enumerate(plots):
        parts += [f'<g transform="translate(0 {at * HEIGHT})">', *_panel(figure), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _panel(figure: Figure) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    yield f'<text x="{LEFT}" y="16" font-weight="bold" fill="#222">{escape(figure.title)}</text>'
    for tick in range(TICKS + 1):
        y = bottom - tick / TICKS * (bottom - TOP)
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#ddd"/>'
        label = number(tick / TICKS * figure.up, figure.unit)
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{escape(label)}</text>'
    for border in figure.borders:
        x = LEFT + border / figure.across * (right - LEFT)
        yield f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#bbb" stroke-dasharray="2 3"/>'
    yield f'<text x="{LEFT}" y="{HEIGHT - 12}" fill="#555">1</text>'
    yield f'<text x="{right}" y="{HEIGHT - 12}" text-anchor="end" fill="#555">{figure.across + 1:,.0f} requests</text>'
    for at, line in enumerate(figure.lines):
        colour = LOOKS[line.name][1]
        yield f'<path d="{_path(figure, line)}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        x = right - 90 * (len(figure.lines) - at) + 8
        yield f'<text x="{x}" y="16" fill="{colour}" font-weight="bold">{escape(line.name)}</text>'


def _path(figure: Figure, line: Line) -> str:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    places = [
        f"{LEFT + x / figure.across * (right - LEFT):.1f} {bottom - y / figure.up * (bottom - TOP):.1f}"
        for x, y in line.points
    ]
    return "M" + "L".join(places) if places else ""
