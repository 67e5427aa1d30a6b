"""Codex, OpenCode and Pi reach the archive through `una mcp`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.support import provider_anthropic, provider_openai
from tests.support.client_codex import Codex
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.provider import Call, Provider, Reply
from unabridged.hosts.claude_code import HOST as CLAUDE_CODE
from unabridged.retrieve.envelope import LABEL

pytestmark = pytest.mark.real_client

COMMAND = [sys.executable, "-m", "unabridged", "mcp"]
ASKED = {"query": "zirconium1", "limit": 3}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "h")
    made.configure(disk={"free_bytes": 0})
    yield made
    made.end()


def environment(home: Home) -> dict[str, str]:
    return {"UNABRIDGED_HOME": str(home.folder), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}


def prepare(home: Home, folder: Path, project: Path) -> None:
    """Archive a conversation of the project."""
    path = transcript(folder / "t.jsonl", SESSION, 2, folder=str(project), words="zirconium")
    with home.connect() as client:
        client.call("import", {"paths": [str(path)], "host": CLAUDE_CODE.name}, timeout=60.0)


def sent(provider: Provider) -> str:
    """The last request of the agent, without the escapes of JSON inside JSON."""
    return provider.agent_requests()[-1].text().replace("\\", "")


def check(provider: Provider) -> None:
    """The model was given the passage, with what it is."""
    text = sent(provider)
    assert LABEL in text
    assert "user says zirconium1" in text
    assert "replaced_by" not in text  # the shapes of answers are for programs: no conversation pays for them


def test_codex_searches_the_archive(home: Home, tmp_path: Path) -> None:
    with Provider([provider_openai]) as provider:
        client = Codex(tmp_path, provider.url)
        with (client.root / "config.toml").open("a") as file:
            file.write(f"\n[mcp_servers.unabridged]\ncommand = {json.dumps(COMMAND[0])}\n")
            file.write(f"args = {json.dumps(COMMAND[1:])}\n[mcp_servers.unabridged.env]\n")
            file.writelines(f"{name} = {json.dumps(value)}\n" for name, value in environment(home).items())
        prepare(home, tmp_path, client.project)
        provider.then(Reply("I look.", [Call("search", ASKED, namespace="mcp__unabridged")]), Reply("Found."))
        client.say("What was it?")
        check(provider)


def test_opencode_searches_the_archive(home: Home, tmp_path: Path) -> None:
    with Provider([provider_openai]) as provider:
        client = OpenCode(tmp_path, provider.url)
        path = Path(client.env["OPENCODE_CONFIG"])
        config: dict[str, Any] = json.loads(path.read_text())
        server = {"type": "local", "command": COMMAND, "environment": environment(home), "enabled": True}
        path.write_text(json.dumps({**config, "mcp": {"unabridged": server}}))
        prepare(home, tmp_path, client.project)
        provider.then(Reply("I look.", [Call("unabridged_search", ASKED)]), Reply("Found."))
        client.say("What was it?")
        check(provider)


def test_pi_searches_the_archive(home: Home, tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client = Pi(tmp_path, provider.url)
        server = {
            "command": COMMAND[0],
            "args": COMMAND[1:],
            "env": environment(home),
            "exposure": "direct",
        }
        (client.agent / "mcp.json").write_text(json.dumps({"mcpServers": {"unabridged": server}}))
        prepare(home, tmp_path, client.project)
        provider.then(Reply("I look.", [Call("mcp__unabridged__search", ASKED)]), Reply("Found."))
        client.say("What was it?")
        check(provider)
