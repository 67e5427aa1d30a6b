"""A block of ours in a person's Markdown, between marks that nobody else writes."""

from __future__ import annotations

from unabridged.hosts.jsonc import BOM

BEGIN = "<!-- unabridged: begin (kept by `una install`) -->"
END = "<!-- unabridged: end -->"


def put(text: str, block: str) -> str:
    """Put the block at the end, or in the place of the one that is there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    whole = newline.join([BEGIN, *block.strip("\n").split("\n"), END])
    place = _place(text)
    if place is not None:
        return text[: place[0]] + whole + text[place[1] :]
    body = text.removeprefix(BOM)
    gap = "" if not body else newline if body.endswith("\n") else newline * 2
    return text + gap + whole + newline


def drop(text: str, before: str | None = None) -> str:
    """Take the block out; the text as it was before us where nothing else has changed."""
    place = _place(text)
    if place is None:
        return text
    block = text[place[0] + len(BEGIN) : place[1] - len(END)].replace("\r\n", "\n")
    if before is not None and _place(before) is None and put(before, block) == text:
        return before
    start, end = place
    for newline in ("\r\n", "\n"):
        if text.startswith(newline, end):
            end += len(newline)
            break
    for newline in ("\r\n", "\n"):
        if text[:start].endswith(newline * 2):
            start -= len(newline)
            break
    if before and not before.endswith("\n") and end == len(text):
        return text[:start].removesuffix("\n").removesuffix("\r")
    return text[:start] + text[end:]


def _place(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    end = text.find(END, start)
    return (start, end + len(END)) if start >= 0 and end >= 0 else None
