"""Rewrites a pattern so that it finds in JSON text whatever it finds in the strings there, or more: as a screen."""

from __future__ import annotations

import re

# A character however it is spelt: escaped by its number, by a letter, or plain.
_ANY = r"(?s:\\u[0-9a-fA-F]{4}|\\.|.)"
_SPACE = r"(?:\s|\\[nrtf])"
_SPELT = {"n": r"(?:\\n|\n)", "t": r"(?:\\t|\t)", "r": r"(?:\\r|\r)", "f": r"(?:\\f|\f)"}
_PLAIN = {'"': r'\\?"', "\\": r"\\\\?", "/": r"\\?/"}
_KEPT = frozenset("dw")  # classes of characters that nobody escapes but by number
_PLACES = frozenset("bB")  # beside an escape a word may seem to go on
_CLASS = re.compile(r"\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_PLAIN_CLASS = re.compile(r"\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[A-Za-z0-9_.:=,;@# ]|\\[-.dw])+-?\]")
_REPEAT = re.compile(r"\{[0-9,]+\}")
_GROUP = re.compile(r"\(\?(?:P?<[A-Za-z0-9_]+>|[imsU]*(?:-[iU]+)?[:)])")

ODD_ESCAPE = r"\\u(?:[1-9a-fA-F]|0[1-9a-fA-F]|00[2-9a-fA-F]|000[9aAcCdD])"
"""A character by its number that the patterns made here look for as itself: what has one needs a closer look."""


def raw_pattern(pattern: str) -> str | None:
    """Return the pattern for JSON text without `ODD_ESCAPE`; None where it holds syntax that is not understood here."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        piece, at = _piece(pattern, at)
        if piece is None:
            return None
        out.append(piece)
    return "".join(out)


def _piece(pattern: str, at: int) -> tuple[str | None, int]:
    """Return the next piece, rewritten, and where the one behind it begins."""
    character = pattern[at]
    if character == "\\":
        return _escaped(pattern[at + 1 : at + 2]), at + 2
    if character == "[":
        found = _CLASS.match(pattern, at)
        if found is None:
            return None, at
        return (found[0] if _PLAIN_CLASS.fullmatch(found[0]) else _ANY), found.end()
    if pattern.startswith("(?", at):
        found = _GROUP.match(pattern, at)
        return (found[0], found.end()) if found is not None else (None, at)
    if character == "{":
        found = _REPEAT.match(pattern, at)
        return (found[0], found.end()) if found is not None else (None, at)
    if character in "^$":
        return "", at + 1
    if character == ".":
        return _ANY, at + 1
    if character.isascii() and not character.isprintable():
        return None, at
    return _PLAIN.get(character, character), at + 1


def _escaped(character: str) -> str | None:
    if character == "s":
        return _SPACE
    if character in _KEPT:
        return f"\\{character}"
    if character in _PLACES:
        return ""
    if character in ("S", "D", "W"):
        return _ANY
    if character in _SPELT:
        return _SPELT[character]
    if not character or character.isalnum() or not character.isascii():
        return None
    return _PLAIN.get(character, f"\\{character}")
