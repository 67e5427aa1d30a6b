"""What the rules do not meet yet is named in `known_gaps.txt`, and must fail until it leaves that list."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
GAPS = HERE / "known_gaps.txt"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    gaps = {
        line for line in GAPS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    }
    for item in items:
        if HERE in item.path.parents and f"{item.path.name}{item.nodeid.split(item.path.name, 1)[1]}" in gaps:
            item.add_marker(pytest.mark.xfail(strict=True, reason="a known gap of the rules"))
