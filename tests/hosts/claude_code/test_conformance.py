"""Claude Code against what every host must do, over recordings of 2.1.332."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unabridged.hosts.claude_code import HOST
from unabridged.hosts.conformance import CHECKS, forks_share, sides_are_separate
from unabridged.hosts.contract import Host

RECORDED = Path(__file__).parents[1] / "fixtures" / "claude_code"
MAIN = RECORDED / "6fe98c89-364b-4d81-8f23-ca96a777d35f.jsonl"
FORK = RECORDED / "4e12a1ab-9dc8-4963-b2f8-40c4425f71ac.jsonl"
AGENT = RECORDED / MAIN.stem / "subagents" / "agent-ae736fbcca1cce9ec.jsonl"


@pytest.mark.parametrize("path", [MAIN, FORK, AGENT], ids=("main", "fork", "agent"))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_recording_is_read_as_the_contract_says(check: Callable[[Host, Path], None], path: Path) -> None:
    check(HOST, path)


def test_a_fork_gives_the_events_that_it_copied() -> None:
    assert forks_share(HOST, MAIN, FORK) > 30


def test_a_subagent_is_a_session_of_its_own() -> None:
    assert sides_are_separate(HOST, AGENT) == set()
    assert sides_are_separate(HOST, MAIN) == set()
