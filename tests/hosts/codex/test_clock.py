"""Times of rows are those that the slow way reads."""

from __future__ import annotations

import pytest

from unabridged.hosts.codex.clock import Clock
from unabridged.hosts.times import from_iso

TIMES = [
    "2026-01-02T03:04:05.678Z",
    "2026-01-02T03:04:59.001Z",
    "2026-01-02T03:05:00.000Z",
    "2025-12-31T23:59:59.999Z",
    "2026-01-02T03:04:05.678901Z",
    "2026-01-02T05:04:05+02:00",
    "2026-01-02T03:04:05Z",
    "2026-13-02T03:04:05.678Z",
    "2026-01-02T03:04:xx.678Z",
    "never",
    "",
    None,
]


@pytest.mark.parametrize("text", TIMES)
def test_a_time_is_read_alike_alone_and_behind_others(text: str | None) -> None:
    clock = Clock()
    assert tuple(clock.read(text)) == tuple(from_iso(text))
    for other in TIMES:
        clock.read(other)
        assert tuple(clock.read(text)) == tuple(from_iso(text))
