"""Claude.ai's kept lines against what every host must do: a conversation, a project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.claude_ai.written import archive, chat, rows, uuid
from unabridged.errors import NotRestorable
from unabridged.hosts.claude_ai import HOST
from unabridged.hosts.conformance import CHECKS, restoring_gives_the_bytes
from unabridged.hosts.contract import Host

# The service takes no conversation back.
OURS = [check for check in CHECKS if check is not restoring_gives_the_bytes]


@pytest.fixture(params=[uuid(1), uuid(7)], ids=("chat", "project"))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The lines of one stream in a file."""
    lines, _ = rows(archive(tmp_path / "export.zip", [chat()]), request.param)
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("check", OURS, ids=lambda check: check.__name__)
def test_kept_lines_are_read_as_the_contract_says(check: Callable[[Host, Path], None], kept: Path) -> None:
    check(HOST, kept)


def test_a_conversation_is_not_restored() -> None:
    with pytest.raises(NotRestorable):
        HOST.restore([b"{}\n"])
