"""OpenCode's kept lines against what every host must do, over a recording of 1.18.33."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.opencode.recorded import MAIN, SIDE, database, rows
from unabridged.hosts.conformance import CHECKS, restoring_gives_the_bytes, sides_are_separate
from unabridged.hosts.contract import Host
from unabridged.hosts.opencode import HOST

# A session is written back as an export, not as the lines that were kept.
OURS = [check for check in CHECKS if check is not restoring_gives_the_bytes]


@pytest.fixture(params=[MAIN, SIDE], ids=("main", "side"))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The lines of one session in a file."""
    lines, _ = rows(database(tmp_path), request.param)
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("check", OURS, ids=lambda check: check.__name__)
def test_kept_lines_are_read_as_the_contract_says(check: Callable[[Host, Path], None], kept: Path) -> None:
    check(HOST, kept)


def test_a_subagent_is_a_session_of_its_own(kept: Path) -> None:
    assert sides_are_separate(HOST, kept) == set()
