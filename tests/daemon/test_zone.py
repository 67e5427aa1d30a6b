"""The user's zone, with its summer times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from unabridged.daemon.zone import LocalZone


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_a_date_of_summer_is_an_hour_further_ahead_than_one_of_winter() -> None:
    zone = LocalZone()
    assert datetime(2026, 7, 1, tzinfo=zone).utcoffset() == timedelta(hours=2)
    assert datetime(2026, 1, 1, tzinfo=zone).utcoffset() == timedelta(hours=1)
    assert datetime(2026, 7, 1, 12, tzinfo=UTC).astimezone(zone).hour == 14
    assert datetime(2026, 1, 1, 12, tzinfo=UTC).astimezone(zone).hour == 13
    spring = datetime(2026, 3, 28, tzinfo=zone).timestamp()
    assert datetime(2026, 3, 30, tzinfo=zone).timestamp() - spring == 47 * 3_600


@pytest.mark.usefixtures("berlin")
def test_a_date_that_no_clock_knows_is_taken_as_utc() -> None:
    assert datetime(1, 1, 1, tzinfo=LocalZone()).utcoffset() is not None
    assert datetime(9999, 12, 31, tzinfo=LocalZone()).utcoffset() is not None
