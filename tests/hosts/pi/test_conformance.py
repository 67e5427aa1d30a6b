"""Pi against what every host must do, over recordings of 1.6.0 and over sessions of version 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.pi.listed import branch, listed
from unabridged.hosts.conformance import CHECKS, forks_share
from unabridged.hosts.contract import Host
from unabridged.hosts.pi import HOST

RECORDED = Path(__file__).parents[1] / "fixtures" / "pi"
MAIN = RECORDED / "2026-11-29T23-11-41-805Z_01a22994-1aec-72ad-ba84-ae63446679e6.jsonl"
FORK = RECORDED / "2026-11-29T23-11-49-284Z_01a22994-3822-7144-a42f-4453640f36fc.jsonl"

Check = Callable[[Host, Path], None]
every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@pytest.mark.parametrize("path", [MAIN, FORK], ids=("main", "fork"))
@every_check
def test_a_recording_is_read_as_the_contract_says(check: Check, path: Path) -> None:
    check(HOST, path)


@every_check
def test_a_session_of_version_1_is_read_as_the_contract_says(check: Check, tmp_path: Path) -> None:
    check(HOST, listed(tmp_path))


def test_a_fork_gives_the_events_that_it_copied() -> None:
    assert forks_share(HOST, MAIN, FORK) == 19


@pytest.mark.parametrize("stamped_anew", [False, True])
def test_a_branch_of_version_1_gives_the_events_that_it_copied(tmp_path: Path, stamped_anew: bool) -> None:
    parent = listed(tmp_path)
    assert forks_share(HOST, parent, branch(parent, tmp_path, stamped_anew=stamped_anew)) == 6
