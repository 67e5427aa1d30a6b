"""What holds for every test: how long it may take before it counts as hanging."""

from __future__ import annotations

import pytest

# Seconds for a test that is marked slow: those kill and restart processes hundreds of times.
SLOW_SECONDS = 1200


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time than the default, unless they state their own."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))
