"""Gemini CLI's sessions against what every host must do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.gemini.chats import document, session, written
from unabridged.hosts.conformance import CHECKS, restoring_gives_the_bytes, sides_are_separate
from unabridged.hosts.contract import Host
from unabridged.hosts.gemini import HOST

# Nothing is written back for this host.
OURS = [check for check in CHECKS if check is not restoring_gives_the_bytes]


@pytest.fixture(params=["main", "side", "document"])
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A session, a subagent's, and the kept rows of one that is a document."""
    main, side = written(tmp_path)
    if request.param != "document":
        return {"main": main, "side": side}[request.param]
    whole = tmp_path / "session-old.json"
    whole.write_bytes(document([row for row in session() if "id" in row]))
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(b"".join(HOST.rows(whole, "", b"")[0]))
    return kept


@pytest.mark.parametrize("check", OURS, ids=lambda check: check.__name__)
def test_sessions_are_read_as_the_contract_says(check: Callable[[Host, Path], None], recorded: Path) -> None:
    check(HOST, recorded)


def test_a_subagent_is_a_session_of_its_own(tmp_path: Path) -> None:
    for path in written(tmp_path):
        assert sides_are_separate(HOST, path) == set()
