"""Claude Code, Codex, OpenCode and Pi use every tool of ours, over a pipe and over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.mcp.listener import Listener
from tests.support.mcp_hosts import HOSTS, Server, over_a_pipe
from tests.support.provider import Provider, Reply, Request
from unabridged.hosts.calls import OWN_KEY
from unabridged.hosts.claude_code import HOST as CLAUDE_CODE
from unabridged.retrieve.envelope import LABEL

pytestmark = pytest.mark.real_client


def prepare(home: Home, folder: Path, project: Path) -> tuple[str, str]:
    """Archive a conversation and a note of the project; returns handles of a message and of the note."""
    path = transcript(folder / "t.jsonl", SESSION, 4, folder=str(project), words="zirconium")
    with home.connect(project=str(project)) as client:
        client.call("import", {"paths": [str(path)], "host": CLAUDE_CODE.name}, timeout=60.0)
        client.call("note", {"text": "The crucible is made of hafnium.", "title": "crucible"})
        found = [client.call("search", {"query": word})["hits"][0] for word in ("zirconium1", "hafnium")]
        return found[0]["handle"], found[1]["handle"]


def calls(message: str, note: str) -> list[tuple[str, Mapping[str, Any], str]]:
    """A call of each tool, and what the model is shown then."""
    return [
        ("search", {"query": "zirconium1", "limit": 3}, "user says zirconium1"),
        ("grep", {"pattern": "zirconium[0-9]"}, "zirconium3"),
        ("recall", {"target": message, "neighbors": 1}, "user says zirconium1"),
        ("gather", {"query": "zirconium2", "max_tokens": 900}, "zirconium2"),
        ("traverse", {"target": message, "after": 2}, "zirconium2"),
        ("sessions", {"limit": 3}, SESSION),
        ("remember", {"text": "The flash driver waits for BSY.", "title": "flash"}, "handle"),
        ("correct", {"target": note, "text": "The crucible is made of tantalum."}, note),
        ("status", {}, "windows|archived"),
    ]


def history(request: Request) -> list[Any]:
    """The messages of a request, in either form."""
    return request.body.get("messages") or request.body["input"]


@contextmanager
def reached(home: Home, way: str, folder: Path) -> Iterator[Server]:
    """Our server, reached over a pipe or over HTTP by an agent that works in `folder`."""
    if way == "pipe":
        yield over_a_pipe(home.folder)
        return
    listener = Listener(home, folder)
    try:
        yield Server(url=listener.url, headers={"Authorization": f"Bearer {listener.token}"})
    finally:
        status, said = listener.end()
        assert status == 0
        assert "refused" not in said


@pytest.mark.parametrize("host", HOSTS)
def test_an_agent_reaches_it_over_http_as_the_guide_registers_it(
    home: Home, tmp_path: Path, host: str
) -> None:
    make, api = HOSTS[host]
    file = tmp_path / "port"
    listener = Listener(home, tmp_path / "project", "--port-file", str(file))
    if host == "opencode":
        server = Server(url=f"{{file:{file}}}")
    else:
        headers = {"Authorization": "Bearer ${UNA_MCP_TOKEN}"}
        server = Server({"UNA_MCP_TOKEN": listener.token}, listener.url, headers)
    try:
        with Provider([api]) as provider:
            agent = make(tmp_path, provider, server)
            prepare(home, tmp_path, agent.project)
            provider.then(
                Reply("I look.", [agent.call("search", {"query": "zirconium1"})]), Reply("That is settled.")
            )
            assert "That is settled." in agent.say("What was it?")
            assert "user says zirconium1" in provider.agent_requests()[-1].text()
    finally:
        listener.end()


@pytest.mark.parametrize("way", ["pipe", "http"])
@pytest.mark.parametrize("host", HOSTS)
def test_an_agent_uses_every_tool(home: Home, tmp_path: Path, host: str, way: str) -> None:
    make, api = HOSTS[host]
    with Provider([api]) as provider, reached(home, way, tmp_path / "project") as server:
        agent = make(tmp_path, provider, server)
        asked = calls(*prepare(home, tmp_path, agent.project))
        provider.then(
            *(Reply(f"I ask {name}.", [agent.call(name, given)]) for name, given, _ in asked),
            Reply("So that is settled."),
        )
        assert "So that is settled." in agent.say("What was it?")
        requests = provider.agent_requests()
    assert (
        "source_keys" not in requests[0].text()
    )  # shapes of answers are for programs: no model pays for them
    assert len(requests) == len(asked) + 1
    for (name, _, shown), before, after in zip(asked, requests, requests[1:], strict=False):
        new = history(after)[len(history(before)) :]
        text = json.dumps(new).replace("\\", "")  # without the escapes of JSON inside JSON
        assert re.search(rf'tool="{name}"|"{re.escape(OWN_KEY)}": ?"{name}"', text), name
        assert re.search(shown, text), name
    assert LABEL in requests[-1].text()
    with home.connect(project=str(agent.project)) as client:
        (kept,) = client.call("search", {"query": "flash driver"})["hits"]
        assert kept["title"] == "flash"
        (kept,) = client.call("search", {"query": "crucible"})["hits"]
        assert kept["snippet"] == "The crucible is made of tantalum."
