"""Homes for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.living import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "h")
    # Nothing of the machine's own sessions: what the daemon looks at by itself lies in the test's folder.
    made.configure(disk={"free_bytes": 0})
    yield made
    made.end()
