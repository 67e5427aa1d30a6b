"""Codex against what every host must do, over recordings of 0.171.0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unabridged.hosts.codex import HOST
from unabridged.hosts.conformance import CHECKS, forks_share, sides_are_separate
from unabridged.hosts.contract import Host

RECORDED = Path(__file__).parents[1] / "fixtures" / "codex"
NAMES = ("main", "fork", "parent", "subagent", "compacted")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_recording_is_read_as_the_contract_says(check: Callable[[Host, Path], None], name: str) -> None:
    check(HOST, RECORDED / f"{name}.jsonl")


def test_a_subagent_gives_the_events_of_its_parent_that_it_copied() -> None:
    assert forks_share(HOST, RECORDED / "parent.jsonl", RECORDED / "subagent.jsonl") == 5


def test_sessions_of_a_person_hold_no_side_conversation() -> None:
    for name in ("main", "fork", "parent", "compacted"):
        assert sides_are_separate(HOST, RECORDED / f"{name}.jsonl") == set()
