"""`make try`, as a person on a machine without any transcript sees it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository.source import ROOT

# Seconds: the first call starts the daemon and its workers.
WITHIN = 120


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A home without transcripts, and an archive of its own whose daemon is stopped at the end."""
    variables = {
        "HOME": str(tmp_path),
        "UNABRIDGED_HOME": str(tmp_path / "archive"),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT / "src"),
        "LC_ALL": "C.UTF-8",
    }
    yield variables
    stop = [sys.executable, "-m", "unabridged", "daemon", "stop"]
    subprocess.run(
        stop, env=variables, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=WITHIN
    )


def tried(environment: dict[str, str]) -> str:
    command = [sys.executable, str(ROOT / "scripts" / "try")]
    answer = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=WITHIN,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def test_who_has_no_transcripts_recalls_a_passage_of_the_sample_twice_over(
    environment: dict[str, str],
) -> None:
    first, second = tried(environment), tried(environment)
    assert "the sample is imported" in first
    assert "3 sessions" in first
    for shown in (first, second):
        assert "Have your agents ask by themselves: " in shown
        assert "resolved: bytes 1162-1660 of" in shown
        assert "  | Two faults, and the second one loses data:" in shown
