"""What has left an agent's window is found and read again by the agent itself, with the archive's own tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.daemon.living import Home
from tests.support.mcp_hosts import COMMAND, over_a_pipe
from tests.support.provider import Call, Reply
from tests.support.windowed import behind, named, recalled

pytestmark = pytest.mark.real_client

STEPS = 24  # more than an epoch has
SEARCH, RECALL = "mcp__unabridged__search", "mcp__unabridged__recall"


def test_an_agent_searches_for_and_recalls_what_is_no_longer_in_its_window(
    home: Home, tmp_path: Path
) -> None:
    home.configure(disk={"free_bytes": 0}, **{"window.models": {'"*/*"': 60_000}})
    server = over_a_pipe(home.folder)
    config = tmp_path / "mcp.json"
    started = {"command": COMMAND[0], "args": list(COMMAND[1:]), "env": dict(server.env)}
    config.write_text(json.dumps({"mcpServers": {server.name: started}}))
    with (
        home.connect() as client,
        behind(home, tmp_path / "agent", "claude-code", STEPS, 60_000) as session,
    ):
        session.host.more += ["--mcp-config", str(config), "--allowedTools", "mcp__unabridged"]
        session.go_on(0, STEPS)
        provider = session.provider
        lines = session.story.files["part-4-large.txt"].splitlines()
        forgotten = lines[len(lines) // 2]  # never shown, for the file is long; by now all of it is cut
        (name,) = [name for name in named(provider.requests) if forgotten in (recalled(client, name) or "")]
        seen = len(provider.requests)
        assert not any(forgotten in request.text() for request in provider.requests)
        provider.then(
            Reply("I search.", [Call(SEARCH, {"query": forgotten, "limit": 3})]),
            Reply("I recall.", [Call(RECALL, {"target": name, "max_tokens": 20_000})]),
            Reply("Now I know."),
        )
        assert session.talk is not None
        assert "Now I know." in session.talk.say("What stands in the middle of that file?")
        asked, found, whole = provider.requests[seen:]
        assert forgotten not in asked.text()
        assert forgotten in found.text()
        assert len(lines) > 200
        assert [line for line in lines if line not in whole.text()] == []
        assert provider.refusals == []
