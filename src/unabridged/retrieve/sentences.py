"""Where the sentences of a message stand: of what somebody says, not of what is quoted or pasted as code in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LINES = 12  # of a list that belongs to the sentence before it
MOST_LIST = 1_200  # characters of it

_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_QUOTED = re.compile(r"\s*>")
_MARK = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)]|#{1,6}|[a-zA-Z]\))\s+")
_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]*_`]*(?=\s)|[\u3002\uff01\uff1f]+")
_SHORT = re.compile(r"(?:(?i:\b(?:e\.g|i\.e|vs|cf|approx))|(?<![\w.])[A-Z])\.$")
_QUESTION = re.compile(r"[?\uff1f\u061f][\"'\u201d\u2019)\]*_`.!\s]*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Characters `start` to `end` of a text; `item`: it is of a list, or a heading."""

    start: int
    end: int
    item: bool = False


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text in order, without fenced code and quoted lines."""
    return [part for start, end, item in _paragraphs(text) for part in _cut(text, start, end, item)]


def is_question(text: str, sentence: Sentence) -> bool:
    """Tell whether a sentence ends as a question does."""
    return _QUESTION.search(text, max(sentence.start, sentence.end - 8), sentence.end) is not None


def with_list(text: str, found: list[Sentence], at: int) -> int:
    """Return where a sentence ends together with the list that it introduces by a colon."""
    end = found[at].end
    if not text[found[at].start : end].rstrip(" *_").endswith(":"):
        return end
    for sentence in found[at + 1 : at + 1 + MOST_LINES]:
        if not sentence.item or sentence.end - found[at].start > MOST_LIST:
            break
        end = sentence.end
    return end


def _paragraphs(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield runs of lines that belong together: a line goes on where the next one begins in lower case."""
    begin, end, item, fenced = -1, 0, False, False
    for match in _LINE.finditer(text):
        line, at = match[0], match.start()
        if not line:
            break
        fence = _FENCE.match(line) is not None
        if fence or fenced or not line.strip() or _QUOTED.match(line):
            if begin >= 0:
                yield begin, end, item
            begin, fenced = -1, fenced != fence
            continue
        mark = _MARK.match(line)
        first = line.lstrip()[0]
        if begin >= 0 and mark is None and (first.islower() or first in "(`\u2014"):
            end = at + len(line.rstrip())
            continue
        if begin >= 0:
            yield begin, end, item
        begin = at + (mark.end() if mark else len(line) - len(line.lstrip()))
        end, item = at + len(line.rstrip()), mark is not None
    if begin >= 0:
        yield begin, end, item


def _cut(text: str, start: int, end: int, item: bool) -> Iterator[Sentence]:
    for match in _END.finditer(text, start, end):
        if _SHORT.search(text, max(start, match.start() - 8), match.start() + 1):
            continue
        if match.end() > start:
            yield Sentence(start, match.end(), item)
        start = match.end()
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Sentence(start, end, item)
