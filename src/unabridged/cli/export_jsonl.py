"""Writes a session as versioned JSON lines: a head, then one event a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from unabridged.cli.reading import Events

FORMAT = "unabridged-export"
# Raised when a reader of the lines could misunderstand them; added fields do not raise it.
VERSION = 1


def line(value: Any) -> str:
    """Return a value as one JSON line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def json_lines(events: Events) -> Iterator[str]:
    """Yield `{"format", "version", "session"}`, then every event as the daemon gives it."""
    yield line({"format": FORMAT, "version": VERSION, "session": events.session})
    for event in events:
        yield line(event)
