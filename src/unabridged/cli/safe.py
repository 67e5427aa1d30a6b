"""Makes archived text harmless on a terminal by writing what would steer it as visible escapes.

A transcript can hold anything that a tool printed: colour codes, cursor movements, window titles, clipboard writes,
right-to-left overrides that show other text than is there. None of it reaches a terminal raw.
"""

from __future__ import annotations

# Line feed and tab keep their meaning; everything else that moves the cursor or starts a sequence does not.
_KEPT = {0x09, 0x0A}
# Marks that reorder or hide text (Unicode TR36 and TR9), with the line separators that terminals treat unevenly.
_FORMAT = (
    0x00AD,  # soft hyphen
    0x061C,  # Arabic letter mark
    0x115F,  # Hangul fillers: letters that show nothing
    0x1160,
    0x3164,
    0xFFA0,
    0x180E,  # Mongolian vowel separator
    0x200B,  # zero width space
    0xFEFF,  # zero width no-break space
)
_FORMAT_RANGES = (
    (0x200E, 0x200F),  # left-to-right and right-to-left marks
    (0x2028, 0x202E),  # line and paragraph separator, embeddings, overrides
    (0x2060, 0x206F),  # word joiner, isolates, deprecated format characters
    (0xFFF9, 0xFFFB),  # interlinear annotation
    (0xE0000, 0xE007F),  # tags
)


def _escape(point: int) -> str:
    if point <= 0xFF:
        return f"\\x{point:02x}"
    if point <= 0xFFFF:
        return f"\\u{point:04x}"
    return f"\\U{point:08x}"


def _table() -> dict[int, str]:
    points = [point for point in (*range(0x20), *range(0x7F, 0xA0)) if point not in _KEPT]
    points.extend(_FORMAT)
    for first, last in _FORMAT_RANGES:
        points.extend(range(first, last + 1))
    table = {point: _escape(point) for point in points}
    table[0x0D] = "\\r"
    return table


_points: dict[int, str] = {}  # the table, made when something has to be escaped


def visible(text: str) -> str:
    """Return the text with control, ANSI, bidirectional and invisible characters as escapes; LF and tab stay.

    Lone surrogates become escapes too, since a terminal cannot be sent one.
    """
    if text.isascii() and text.isprintable():
        return text
    if not _points:
        _points.update(_table())
    shown = text.translate(_points)
    if not shown.isascii() and any("\ud800" <= character <= "\udfff" for character in shown):
        return "".join(_escape(ord(c)) if "\ud800" <= c <= "\udfff" else c for c in shown)
    return shown


def one_line(text: str) -> str:
    """Return the text on one line: every run of white space is one space."""
    return " ".join(text.split())
