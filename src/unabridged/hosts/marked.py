"""A block of ours in a person's Markdown, between marks that nobody else writes."""

from __future__ import annotations

import re

from unabridged.hosts.jsonc import BOM

BEGIN = "<!-- unabridged: begin (kept by `una install`) -->"
END = "<!-- unabridged: end -->"

_LINE_END = re.compile(r"\A\r?\n")
_BLANK_LINE = re.compile(r"(\r?\n)\r?\n\Z")


def put(text: str, block: str) -> str:
    """Put the block at the end, or in the place of the one that is there.

    A text whose last line is open ends so again: by that `drop` knows what it was.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    whole = newline.join([BEGIN, *block.strip("\n").split("\n"), END])
    place = _place(text)
    if place is not None:
        return text[: place[0]] + whole + text[place[1] :]
    body = text.removeprefix(BOM)
    if body and not body.endswith("\n"):
        return text + newline * 2 + whole
    return text + (newline if body else "") + whole + newline


def drop(text: str, before: str | None = None) -> str:
    """Take the block out; the text as it was before us where nothing else has changed."""
    place = _place(text)
    if place is None:
        return text
    block = text[place[0] + len(BEGIN) : place[1] - len(END)].replace("\r\n", "\n")
    if before is not None and _place(before) is None and put(before, block) == text:
        return before
    head, tail = text[: place[0]], text[place[1] :]
    if not tail:
        return _BLANK_LINE.sub("", head)
    tail = _LINE_END.sub("", tail, count=1)
    older = before and not before.endswith("\n") and not tail  # which had closed a last line that was open
    return _BLANK_LINE.sub("" if older else r"\1", head) + tail


def _place(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    end = text.find(END, start)
    return (start, end + len(END)) if start >= 0 and end >= 0 else None
