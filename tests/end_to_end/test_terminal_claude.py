"""Claude Code in a terminal, as a person has it in front of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.daemon.living import Home
from tests.support.client_claude import KEY
from tests.support.clients import PLAIN
from tests.support.equipped import EQUIPPED
from tests.support.provider import Provider, Reply
from tests.support.terminal import Terminal

pytestmark = pytest.mark.real_client


def test_its_status_line_tells_of_the_archive_and_what_is_typed_is_archived(
    home: Home, tmp_path: Path
) -> None:
    make, api = EQUIPPED["claude-code"]
    with Provider([api]) as provider:
        agent = make(home, tmp_path, provider)
        client = agent.client
        known = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "projects": {str(client.project): {"hasTrustDialogAccepted": True}},
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        }
        (client.config / ".claude.json").write_text(json.dumps(known))
        terminal = Terminal([client.binary], client.project, {**PLAIN, **client.env})
        try:
            terminal.until("una ·")
            provider.then(Reply("It is osmium1."))
            terminal.type("What is it?")
            terminal.until("What is it?")
            terminal.type("\r")
            terminal.until("It is osmium1.")
            assert agent.installed.sessions_with("osmium1")
            terminal.type("/una:status\r")
            terminal.until("done.")
            assert "osmium1" in provider.agent_requests()[-1].text()
            terminal.until("events archived")
        finally:
            terminal.end()
