"""Calibration: what a provider reports corrects the estimate, unless it cannot be."""

from __future__ import annotations

import pytest

from unabridged.window.calibration import Calibration, observed


def test_the_first_report_is_the_factor_and_later_ones_move_it() -> None:
    first = observed(Calibration(), 1_000, 1_500)
    assert first == Calibration(1.5, 1)
    second = observed(first, 1_000, 1_000)
    assert second.reports == 2
    assert 1.0 < second.factor < 1.5
    assert second.scaled(1_000) == int(1_000 * second.factor)


def test_many_equal_reports_come_to_their_factor() -> None:
    known = Calibration()
    for _ in range(40):
        known = observed(known, 10_000, 13_000)
    assert known.factor == pytest.approx(1.3, abs=1e-4)


@pytest.mark.parametrize(
    ("estimated", "reported", "size"),
    [(1_000, 0, 0), (1_000, -5, 0), (1_000, 985_000, 0), (1_000, 100, 0), (1_000, 2_000, 1_500), (10, 12, 0)],
)
def test_an_impossible_count_changes_nothing(estimated: int, reported: int, size: int) -> None:
    known = Calibration(1.2, 3)
    assert observed(known, estimated, reported, size) is known
