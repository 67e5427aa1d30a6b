"""OpenCode and Pi with the tools that `una install` gave them: called, and told of once in a session and its forks."""

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


@pytest.mark.parametrize("name", TOOLS)
def test_a_fork_is_not_told_again_what_its_history_tells(home: Home, tmp_path: Path, name: str) -> None:
    make, api = EXTENDED[name]
    with Provider([api]) as provider:
        agent = make(home, tmp_path, provider)
        client, folder = agent.client, str(agent.client.project)
        agent.installed.una("import", str(transcript(tmp_path / "old.jsonl", SESSION, 6, folder=folder)))
        client.say("First, please.")
        asked = len(provider.agent_requests())
        if name == "opencode":
            client.say("And apart?", "-c", "--fork")
        else:
            client.say("And apart?", "--fork", str(client.transcripts()[-1]))
        forked = provider.agent_requests()[asked:]
        assert forked
        for request in forked:
            assert "First, please." in request.text()
            assert request.text().count("<unabridged-archive>") <= 1
