"""Properties are checked on examples that may take as long as a busy machine needs."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def test_neither_an_example_nor_its_making_is_timed() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
