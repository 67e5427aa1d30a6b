"""Claude Code and Codex while the daemon hangs or cannot start: each hook leaves its event, and nothing is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.daemon.living import Home, until
from tests.support.equipped import ASKED, EQUIPPED, FOUND, SENT, model
from tests.support.hooking import entries
from tests.support.provider import Provider, Reply

pytestmark = pytest.mark.real_client


@contextmanager
def hung(home: Home) -> Iterator[None]:
    """Stand the daemon still."""
    home.connect()
    pid = home.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def broken(home: Home) -> Iterator[None]:
    """Let no daemon start."""
    home.end()
    settings = Path(home.layout.config_file)
    kept = settings.read_text()
    settings.write_text("[no.such.section]\nat = 1\n")
    try:
        yield
    finally:
        settings.write_text(kept)
        (home.folder / "run" / "hook.starts").unlink(missing_ok=True)  # a person waits, a test does not


# https://github.com/thedotmack/claude-mem/issues/1887: a worker that is broken blocks each turn for minutes.
# https://github.com/vshulcz/deja-vu/issues/371: a hook that is configured never fires, and nobody is told.
@pytest.mark.parametrize("ill", [hung, broken])
@pytest.mark.parametrize("name", EQUIPPED)
def test_an_agent_goes_on_and_all_its_events_are_applied_once_the_daemon_is_there(
    home: Home, tmp_path: Path, name: str, ill: Callable[[Home], AbstractContextManager[None]]
) -> None:
    make, api = EQUIPPED[name]
    with Provider([api], model=model, default=Reply("As ever, osmium1.")) as provider:
        agent = make(home, tmp_path, provider)
        with ill(home):
            assert FOUND in agent.client.say(ASKED)
            session = agent.session()
            agent.compact(session)
            assert "osmium1" in agent.resume("And now?", session)
            left = entries(home.folder)
        assert {entry["event"] for entry in left} == agent.events()
        assert {entry["session"] for entry in left} == {session}
        assert not any(word in str(left) for word in (ASKED, SENT, FOUND, "osmium1"))
        client = home.connect(project=str(agent.client.project))
        client.call(
            "outbox", {"action": "replay"}
        )  # the daemon looks by itself once a minute, and at an event
        until(lambda: not list((home.folder / "outbox").glob("*.json")), "the outbox was not taken")
        assert client.call("outbox")["entries"] == []
        assert agent.installed.sessions_with("rhenium6") == {session}
        (side,) = agent.installed.sessions_with("rhenium5") - {session}
        assert side != session
        assert agent.installed.sessions_with("osmium1") == {session}
        again = client.call("import", {"paths": agent.transcripts(), "host": name}, timeout=60.0)
        assert (again["lines"]["new"], again["problems"]) == (0, [])
        assert client.call("verify", {"deep": True}, timeout=300)["violations"] == []
