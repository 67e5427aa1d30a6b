"""OpenCode and Pi call the tools that `una install` gave them, and go on with a session and apart from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.support.equipped import EXTENDED
from tests.support.provider import Call, Provider, Reply

pytestmark = pytest.mark.real_client

# What each calls the tool.
TOOLS = {"opencode": "unabridged_search", "pi": "mcp__unabridged__search"}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_that_was_installed_is_called_and_gives_what_was_said_elsewhere(
    home: Home, tmp_path: Path, name: str
) -> None:
    make, api = EXTENDED[name]
    with Provider([api]) as provider:
        agent = make(home, tmp_path, provider)
        folder = str(agent.client.project)
        agent.installed.una(
            "import", str(transcript(tmp_path / "old.jsonl", SESSION, 6, folder=folder, words="zirconium"))
        )
        provider.then(
            Reply("I look.", [Call(TOOLS[name], {"query": "zirconium3"})]), Reply("It was tantalum7.")
        )
        agent.client.say("What was it about?")
        looked = provider.agent_requests()[-1].text()
        assert "user says zirconium3" in looked
        (session,) = agent.installed.sessions_with("tantalum7")
        provider.then(Reply("And osmium2."))
        agent.client.say("Go on, please.", "-c")
        assert agent.installed.sessions_with("osmium2") == {session}
        # What the tool gave is no new place where it was said.
        assert agent.installed.sessions_with("zirconium3") == {SESSION}
