"""Fits text to the columns of a terminal."""

from __future__ import annotations

_WIDE = {"W", "F"}
FIRST_ODD = "\u0300"  # below it every character takes one column
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"


def columns_of(text: str) -> int:
    """Return how many terminal columns a text takes: two for wide characters, none for combining ones."""
    if text.isascii() or max(text) < FIRST_ODD:
        return len(text)
    import unicodedata

    width = 0
    for character in text:
        if unicodedata.combining(character) or character in _JOINERS:
            continue
        width += 2 if unicodedata.east_asian_width(character) in _WIDE else 1
    return width


def cut(text: str, width: int) -> str:
    """Return the text within so many columns; what is cut ends in `…`."""
    if columns_of(text) <= width:
        return text
    kept: list[str] = []
    used = 0
    for character in text:
        taken = columns_of(character)
        if used + taken > width - 1:
            break
        kept.append(character)
        used += taken
    return "".join(kept) + "…"


def pad(text: str, width: int, right: bool = False) -> str:
    """Return the text filled with spaces to so many columns, at its left when `right` aligned."""
    fill = " " * max(width - columns_of(text), 0)
    return fill + text if right else text + fill


def wrap(text: str, width: int) -> list[str]:
    """Return the text in lines of at most so many columns, broken between words, or inside one that is too long."""
    lines: list[str] = []
    line, used = "", 0
    for word in text.split():
        taken = columns_of(word)
        if line and used + 1 + taken > width:
            lines.append(line)
            line, used = "", 0
        while taken > width:
            head = _head(word, width)
            lines.append(head)
            word = word[len(head) :]
            taken = columns_of(word)
        line, used = (f"{line} {word}", used + 1 + taken) if line else (word, taken)
    return [*lines, line]


def _head(word: str, width: int) -> str:
    used = 0
    for number, character in enumerate(word):
        used += columns_of(character)
        if used > width and number:
            return word[:number]
    return word
