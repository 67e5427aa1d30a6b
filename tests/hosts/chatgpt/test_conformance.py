"""ChatGPT's kept lines against what every host must do, over a conversation of every kind of message."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.chatgpt.written import document, rows, talk
from unabridged.errors import NotRestorable
from unabridged.hosts.chatgpt import HOST
from unabridged.hosts.conformance import CHECKS, forks_share, restoring_gives_the_bytes
from unabridged.hosts.contract import Host

# The service takes no conversation back.
OURS = [check for check in CHECKS if check is not restoring_gives_the_bytes]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The lines of one conversation in a file."""
    made = talk()
    lines, _ = rows(document(tmp_path / "conversations.json", [made]), made.name)
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("check", OURS, ids=lambda check: check.__name__)
def test_kept_lines_are_read_as_the_contract_says(check: Callable[[Host, Path], None], kept: Path) -> None:
    check(HOST, kept)


def test_a_conversation_is_not_restored() -> None:
    with pytest.raises(NotRestorable):
        HOST.restore([b"{}\n"])


def test_a_chat_that_was_branched_off_gives_the_events_that_it_copied(kept: Path, tmp_path: Path) -> None:
    made = talk()
    made.name = "67c50000-aaaa-8000-9000-000000000002"
    made.say("user", "Somewhere else from here.")
    lines, _ = rows(document(tmp_path / "other.json", [made]), made.name)
    fork = tmp_path / "fork.jsonl"
    fork.write_bytes(b"".join(lines))
    assert forks_share(HOST, kept, fork) == 14
