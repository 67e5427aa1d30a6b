"""Cline's conversations, as rows, against what every host must do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.cline.tasks import older, parted, rows_of, session_files, shown, task_file
from unabridged.hosts.cline import HOST
from unabridged.hosts.conformance import CHECKS, restoring_gives_the_bytes, sides_are_separate
from unabridged.hosts.contract import Host

# Nothing is written back for this host.
OURS = [check for check in CHECKS if check is not restoring_gives_the_bytes]


@pytest.fixture(params=["session", "agent", "task", "parts", "shown"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The rows of a conversation of each form."""
    main, side = session_files(tmp_path / "data")
    match request.param:
        case "session":
            path = main
        case "agent":
            path = side
        case "task":
            path = task_file(tmp_path / "cline", older())
        case "parts":
            path = task_file(tmp_path / "roo", {"version": 2, "messages": parted()})
        case _:
            path = task_file(tmp_path / "old", shown(), "ui_messages.json")
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(b"".join(rows_of(path)[0]))
    return rows


@pytest.mark.parametrize("check", OURS, ids=lambda check: check.__name__)
def test_rows_are_read_as_the_contract_says(check: Callable[[Host, Path], None], kept: Path) -> None:
    check(HOST, kept)


def test_an_agents_conversation_is_a_session_of_its_own(kept: Path) -> None:
    assert sides_are_separate(HOST, kept) == set()
