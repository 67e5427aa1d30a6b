"""A history cut into what was said: lines of Markdown that stand for a person, for the model, for aider itself.

A person's lines begin with `#### `, aider's own with `> `; both end with two spaces (a line break of Markdown), which
tells them from headings and quotations in what the model said. Where an editor has taken such spaces away, the mark at
the beginning has to do. Lines of one kind that follow each other are one message, as aider's own reader has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

USER, TOOL, ASSISTANT, BLANK = "user", "tool", "assistant", "blank"
MARKS = {USER: b"#### ", TOOL: b"> "}
BREAK = b"  "  # ends a line that aider writes
OPEN_LINES = 200  # lines that one output of aider may have behind its first
MAX_MESSAGE = 8 << 20  # bytes of a message; the lines of a longer one are several


class Message(NamedTuple):
    """Something said: the number of its first line in the session (from 1), who said it, its lines without ends."""

    line: int
    kind: str
    lines: list[bytes]


def messages(lines: Iterable[bytes]) -> Iterator[Message]:
    """Yield the messages of a session from its lines, the one that begins it left out. Every line is in one."""
    marked = _Marked()
    kind, first, held, size = "", 2, list[bytes](), 0
    for number, raw in enumerate(lines, 2):
        line = raw.rstrip(b"\n")
        now = marked.kind(line)
        if (now != kind or size > MAX_MESSAGE) and held:
            yield from _ended(first, kind, held)
            held, first, size = [], number, 0
        kind = now
        held.append(line)
        size += len(line)
    if held:
        yield from _ended(first, kind, held)


class _Marked:
    """Tells who a line is from, by the lines before it."""

    def __init__(self) -> None:
        self._strict: bool | None = None  # marked lines end with two spaces; None: none was seen
        self._open = 0  # lines that an output of aider's whose end was not seen may still have
        self._last = ""

    def kind(self, line: bytes) -> str:
        self._last = self._of(line)
        return self._last

    def _of(self, line: bytes) -> str:
        ends = line.rstrip(b"\r").endswith(BREAK)
        kind = next((kind for kind, mark in MARKS.items() if line.startswith(mark)), "")
        if kind and self._strict is None:
            self._strict = ends
        if self._open:
            self._open = 0 if ends or not line.strip() or kind == USER else self._open - 1
            if line.strip() and kind != USER:
                return TOOL
        if kind and (ends or not self._strict):
            return kind
        if kind == TOOL and self._last == TOOL:
            self._open = OPEN_LINES
            return TOOL
        return ASSISTANT


def _ended(first: int, kind: str, lines: list[bytes]) -> Iterator[Message]:
    """Yield a message; what the model said without the blank lines behind it, which are given apart."""
    if kind != ASSISTANT:
        yield Message(first, kind, lines)
        return
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    start = 0
    while start < end and not lines[start].strip():
        start += 1
    if start:
        yield Message(first, BLANK, lines[:start])
    if end > start:
        yield Message(first + start, ASSISTANT, lines[start:end])
    if len(lines) > end:
        yield Message(first + end, BLANK, lines[end:])


def text_of(message: Message) -> str:
    """Return what was said: without the marks and the breaks, each line on its own."""
    mark = MARKS.get(message.kind, b"")
    lines = [
        line.rstrip(b"\r").removeprefix(mark).removesuffix(BREAK if mark else b"") for line in message.lines
    ]
    return b"\n".join(lines).decode("utf-8", "replace").strip("\r\n" if mark else None)


def is_plain(message: Message, text: str) -> bool:
    """Tell whether the lines are those that aider writes for a text, so that the text says all of them."""
    mark = MARKS.get(message.kind, b"")
    end = BREAK if mark else b""
    return message.lines == [mark + line + end for line in text.encode("utf-8", "surrogatepass").split(b"\n")]
