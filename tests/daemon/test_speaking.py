"""The daemon's keeper of the process that speaks MCP, with processes that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged.daemon import paths, workers
from unabridged.daemon.logs import Log
from unabridged.daemon.speaking import Speaking
from unabridged.errors import Cancelled, DaemonUnavailable


@pytest.fixture
def speaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Speaking:
    # A module that takes no such arguments: its process ends at once.
    monkeypatch.setattr(workers, "MODULE", "json.tool")
    layout = paths.layout({"UNABRIDGED_HOME": str(tmp_path)})
    Path(layout.run).mkdir(mode=0o700)
    return Speaking(layout, Log(str(tmp_path / "logs"), "info"), "")


def test_a_process_that_does_not_start_is_told_each_time(speaking: Speaking) -> None:
    for _ in range(2):
        with pytest.raises(DaemonUnavailable, match="does not start"):
            speaking.reach(lambda: None)
    assert speaking.sessions == 0
    speaking.close()


def test_who_waits_can_go_away(speaking: Speaking) -> None:
    def gone() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        speaking.reach(gone)
    speaking.close()


def test_nothing_is_started_once_the_daemon_ends(speaking: Speaking) -> None:
    speaking.close()
    with pytest.raises(DaemonUnavailable, match="stopping"):
        speaking.reach(lambda: None)
