"""Times of a rollout's rows."""

from __future__ import annotations

from typing import cast

from unabridged.hosts.times import MICROS, from_iso
from unabridged.schema.ids import Micros

LENGTH = 24  # characters of `2026-01-02T03:04:05.678Z`, the form of nearly every time
MINUTE = 17  # of them up to the seconds


class Clock:
    """Reads times of rows that come one soon after the other: what a minute begins with is worked out once."""

    def __init__(self) -> None:
        """Begin without a minute."""
        self._minute = ""
        self._base = 0  # microseconds at its beginning

    def read(self, text: str | None) -> tuple[Micros, int]:
        """Return a time and its offset in minutes; unknown where it is none."""
        if text is None or len(text) != LENGTH or text[23] != "Z" or text[19] != ".":
            return from_iso(text)
        if text[:MINUTE] != self._minute:
            base = from_iso(f"{text[:MINUTE]}00Z").micros
            if not base:
                return from_iso(text)
            self._minute, self._base = text[:MINUTE], base
        seconds, millis = text[17:19], text[20:23]
        if not (seconds.isdecimal() and millis.isdecimal()):
            return from_iso(text)
        return cast("Micros", self._base + int(seconds) * MICROS + int(millis) * 1000), 0
