"""Host times."""

from __future__ import annotations

import pytest

from unabridged.hosts.times import UNKNOWN, HostTime, from_iso, from_unix

MOMENT = 1_767_323_045_123_000


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("2026-01-02T03:04:05.123Z", 0),
        ("2026-01-02T03:04:05.123000456Z", 0),
        ("2026-01-02T03:04:05.123", 0),
        ("2026-01-02T05:04:05.123+02:00", 120),
        ("2026-01-01T21:34:05.123-05:30", -330),
    ],
)
def test_a_time_is_kept_with_the_offset_that_the_host_wrote(text: str, offset: int) -> None:
    assert from_iso(text) == HostTime(MOMENT, offset)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, "", "yesterday", "2026-13-01T00:00:00Z"])
def test_what_is_no_time_is_unknown(text: str | None) -> None:
    assert from_iso(text) == UNKNOWN


@pytest.mark.parametrize("value", [MOMENT / 1e6, MOMENT // 1000, MOMENT])
def test_the_unit_of_a_number_is_known_by_its_size(value: float) -> None:
    assert from_unix(value) == HostTime(MOMENT)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 0, -5, 1e30])
def test_a_number_that_is_no_time_is_unknown(value: float | None) -> None:
    assert from_unix(value) == UNKNOWN
