"""Draws rows in columns, by the width that characters take on a terminal."""

from __future__ import annotations

from unabridged.cli.columns import columns_of, cut, pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unabridged.cli.screen import Screen

# A flexible column is not squeezed below this many columns, however narrow the terminal.
LEAST_COLUMN = 12
GAP = "  "


def draw(
    screen: Screen,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    flexible: int = -1,
    style: Callable[[int, str], str] | None = None,
) -> None:
    """Write a table: heads, then rows of equal length with cells already safe to show.

    right: indexes of right-aligned columns. flexible: index of the column that is cut when the terminal is narrow; in
    a pipe nothing is ever cut. style: colours a padded cell by its column.
    """
    widths = [
        max(columns_of(head), *(columns_of(row[index]) for row in rows)) if rows else columns_of(head)
        for index, head in enumerate(heads)
    ]
    if screen.terminal and 0 <= flexible < len(widths):
        spare = screen.width - sum(widths) - len(GAP) * (len(widths) - 1)
        widths[flexible] = max(widths[flexible] + min(spare, 0), LEAST_COLUMN)

    def cell(index: int, text: str) -> str:
        shown = cut(text, widths[index]) if screen.terminal else text
        last = index == len(widths) - 1 and index not in right
        return shown if last else pad(shown, widths[index], index in right)

    if screen.terminal:
        screen.line(screen.style(GAP.join(cell(i, head) for i, head in enumerate(heads)).rstrip(), "dim"))
    else:
        screen.line(GAP.join(cell(i, head) for i, head in enumerate(heads)).rstrip())
    for row in rows:
        cells = [cell(i, text) for i, text in enumerate(row)]
        shown = [style(i, text) if style else text for i, text in enumerate(cells)]
        screen.line(GAP.join(shown).rstrip())
