"""Homes for tests in which real agents talk to a real daemon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.living import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home whose daemon ends with the test."""
    made = Home(tmp_path / "h")
    made.configure(disk={"free_bytes": 0})
    yield made
    made.end()
