"""What real agents keep of their sessions is theirs: nothing of ours is written there, and no session is added."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home
from tests.support.equipped import EXTENDED, Equipped, sessions_folder
from tests.support.provider import Provider, Reply

pytestmark = pytest.mark.real_client


def state(folder: Path) -> Mapping[str, tuple[int, int, bytes]]:
    """Everything below a folder: mode, when it was written, content."""
    return {
        str(path): (
            (found := path.lstat()).st_mode,
            found.st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


def everything(agent: Equipped) -> None:
    """Read, search, recall, check and mend the archive, restart the daemon, and restore beside the host."""
    una: Any = agent.installed.una
    folder = str(sessions_folder(agent.client))
    una("import", folder, "--host", agent.name)
    handle = agent.installed.answer("search", "osmium1")["hits"][0]["handle"]
    una("recall", handle)
    (session,) = {hit["session"] for hit in agent.installed.found("osmium1")}
    una("restore", session, "--to", str(agent.client.project / "restored"))
    una("note", "The port is 8471.")
    una("doctor", "--probe", "--fix")
    una("daemon", "restart")
    una("import", folder, "--host", agent.name)
    una("verify")
    una("daemon", "stop")


# https://github.com/thedotmack/claude-mem/issues/832 and /1236: helpers' sessions fill the host's list of sessions.
# https://github.com/anomalyco/opencode/issues/47566: a reader of a host's database adds to its locks.
@pytest.mark.parametrize("name", EXTENDED)
def test_nothing_is_written_where_a_host_keeps_its_sessions(home: Home, tmp_path: Path, name: str) -> None:
    make, api = EXTENDED[name]
    with Provider([api]) as provider:
        agent = make(home, tmp_path, provider)
        provider.then(Reply("It is osmium1."))
        agent.client.say("What is it?")
        agent.installed.found("osmium1")
        before = state(sessions_folder(agent.client))
        asked = len(provider.requests)
        everything(agent)
        assert state(sessions_folder(agent.client)) == before
        # https://github.com/thedotmack/claude-mem/issues/2315 and /4159: models are asked while nobody works.
        assert len(provider.requests) == asked
