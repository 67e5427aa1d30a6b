"""Markdown as the tests of this folder read it: links, headings, text outside of code."""

from __future__ import annotations

import re
from pathlib import Path

FENCE = re.compile(r"^ {0,3}(```|~~~)")
LINK = re.compile(
    r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)?)>?(?:\s+\"[^\"]*\")?\)"
)
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def prose(path: Path) -> list[tuple[int, str]]:
    """Return (line number, text) of a Markdown file's lines outside of fenced code."""
    lines: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        mark = FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
        elif not fence:
            lines.append((number, line))
    return lines


def links(path: Path) -> list[tuple[int, str]]:
    """Return (line number, target) of every inline link."""
    return [
        (number, match[1])
        for number, line in prose(path)
        for match in LINK.finditer(CODE_SPAN.sub("``", line))
    ]


def headings(path: Path) -> list[tuple[int, str]]:
    """Return (level, text) of every heading."""
    found = [HEADING.match(line) for _, line in prose(path)]
    return [(len(match[1]), match[2]) for match in found if match]


def anchors(path: Path) -> set[str]:
    """Return the fragment names that a reader of the page can link to, formed as code hosts form them."""
    found: set[str] = set()
    for _, text in headings(path):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found
