"""Aider's kept lines against what every host must do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.aider.written import history, rows
from unabridged.errors import NotRestorable
from unabridged.hosts.aider import HOST
from unabridged.hosts.conformance import CHECKS, restoring_gives_the_bytes
from unabridged.hosts.contract import Host

# A session is a part of a file that others share.
OURS = [check for check in CHECKS if check is not restoring_gives_the_bytes]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The lines of one session in a file."""
    path = history(tmp_path).path
    kept = tmp_path / "lines.jsonl"
    kept.write_bytes(b"".join(rows(path, HOST.streams(path)[0].name)[0]))
    return kept


@pytest.mark.parametrize("check", OURS, ids=lambda check: check.__name__)
def test_kept_lines_are_read_as_the_contract_says(check: Callable[[Host, Path], None], kept: Path) -> None:
    check(HOST, kept)


def test_a_session_is_not_restored() -> None:
    with pytest.raises(NotRestorable):
        HOST.restore([b"{}\n"])
