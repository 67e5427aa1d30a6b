"""Counts the work of redacting: bytes given to the screen and to decoding, and steps of our own code."""

from __future__ import annotations

import functools
import sys
from types import FrameType
from typing import Any

from unabridged.archive.redact import RULES, Redactor
from unabridged.archive.redact.rule import Span
from unabridged.archive.redact.scan import Scanner
from unabridged.archive.redact.seen import Seen

CALLED = ("call", "c_call")
SCREEN = 64  # bytes that the screen looks through at the cost of one step


class CountingScanner(Scanner):
    """A scanner that counts the bytes between where its screen begins and where it stops."""

    def __init__(self) -> None:
        super().__init__(RULES)
        self.screened = 0
        find = self.find

        def counting(text: bytes, at: int, end: int) -> int:
            place = find(text, at, end)
            self.screened += (place if place >= 0 else end) - at
            return place

        self.find = counting

    def _apply(self, matcher: Any, text: bytes, at: int, found: list[Span], seen: Seen) -> bool:
        before = seen.looked
        short = super()._apply(matcher, text, at, found, seen)
        self.screened += seen.looked - before
        return short


@functools.cache
def counting_scanner() -> CountingScanner:
    return CountingScanner()


def steps(data: bytes) -> int:
    """Return how many steps it takes to redact a line: calls of functions, and bytes screened by the block."""
    scanner = counting_scanner()
    redactor = Redactor(scanner, None)
    redactor.line(data[:1_000])  # so that no pattern is compiled while counting
    scanner.screened = 0
    count = 0

    def profile(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in CALLED

    sys.setprofile(profile)
    try:
        redactor.line(data)
    finally:
        sys.setprofile(None)
    return count + scanner.screened // SCREEN
