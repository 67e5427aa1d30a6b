"""What the gateway's tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.daemon.living import Home


@pytest.fixture
def home() -> Iterator[Home]:
    """A home whose daemon is ended; its path is short enough for a socket."""
    with TemporaryDirectory(prefix="una-") as folder:
        made = Home(Path(folder) / "h")
        made.configure(disk={"free_bytes": 0}, window={"rotation_tokens": 1_000, "retain_turns": 1})
        yield made
        made.end()
