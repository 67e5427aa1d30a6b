"""What holds for every test: how long it may take before it counts as hanging, and that nothing else is timed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# A property that holds is no less true on a busy machine: an example has no deadline, and neither has making one.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Seconds for a test that is marked slow: those kill and restart processes hundreds of times.
SLOW_SECONDS = 1200


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time than the default, unless they state their own."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))
