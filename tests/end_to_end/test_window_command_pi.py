"""Pi's command `/window`, as a person types it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home
from tests.support.shimmed import beside
from tests.support.talks import PiTalk

pytestmark = pytest.mark.real_client


def told(talk: PiTalk, words: str) -> str:
    """Type a command; returns what its extension then shows."""
    shown: list[dict[str, Any]] = talk.typed(words, lambda line: line.get("method") == "notify")
    return shown[-1]["message"]


def test_the_window_of_the_session_is_shown_and_what_cannot_be_is_said(home: Home, tmp_path: Path) -> None:
    home.configure(disk={"free_bytes": 0}, hints={"enabled": False})
    with home.connect(), beside(home, tmp_path, "pi", 2, 40_000) as session:
        session.go_on(0, 2)
        assert isinstance(session.talk, PiTalk)
        asked = len(session.provider.requests)
        assert "epoch" in told(session.talk, "/window").lower()
        assert "window" in told(session.talk, "/window settings").lower()
        assert "nonsense" in told(session.talk, "/window nonsense")
        assert len(session.provider.requests) == asked  # no model is asked for it
        assert session.said == {number: session.story.expected(number) for number in range(2)}
