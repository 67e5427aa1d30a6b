"""Times of a rollout's rows."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from unabridged.hosts.times import MICROS, from_iso
from unabridged.schema.ids import Micros

LENGTH = 24  # characters of `2026-01-02T03:04:05.678Z`, the form of nearly every time


def read_time(text: str | None) -> tuple[Micros, int]:
    """Read a time and its offset in minutes; unknown where it is none."""
    if text is None or len(text) != LENGTH or text[23] != "Z":
        return from_iso(text)
    try:
        return cast("Micros", round(datetime.fromisoformat(text).timestamp() * MICROS)), 0
    except ValueError:
        return from_iso(text)
