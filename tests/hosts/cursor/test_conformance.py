"""Cursor's conversations against what every host must do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.cursor.stores import CHAT, OLD, SIDE, TALK, editor, messages, rows_of, store, transcript
from unabridged.hosts.conformance import CHECKS, restoring_gives_the_bytes, sides_are_separate
from unabridged.hosts.contract import Host
from unabridged.hosts.cursor import HOST

# Nothing is written back for this host.
OURS = [check for check in CHECKS if check is not restoring_gives_the_bytes]


@pytest.fixture(params=["editor", "subagent", "inline", "chat", "transcript", "transcript-side"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The rows of a conversation of each form."""
    cursor = tmp_path / ".cursor"
    if request.param == "transcript":
        return transcript(cursor, TALK)
    if request.param == "transcript-side":
        return transcript(cursor, SIDE, TALK)
    if request.param == "chat":
        lines = rows_of(store(cursor, messages()), CHAT)[0]
    else:
        name = {"editor": TALK, "subagent": SIDE, "inline": OLD}[request.param]
        lines = rows_of(editor(tmp_path / "User"), name)[0]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("check", OURS, ids=lambda check: check.__name__)
def test_lines_are_read_as_the_contract_says(check: Callable[[Host, Path], None], kept: Path) -> None:
    check(HOST, kept)


def test_a_subagents_conversation_is_a_session_of_its_own(kept: Path) -> None:
    assert sides_are_separate(HOST, kept) == set()
