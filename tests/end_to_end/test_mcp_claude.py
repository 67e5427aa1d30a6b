"""Claude Code reaches the archive through `una mcp`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.support import provider_anthropic
from tests.support.client_claude import ClaudeCode
from tests.support.provider import Call, Provider, Reply, Request
from unabridged.retrieve.envelope import LABEL

pytestmark = pytest.mark.real_client


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "h")
    made.configure(disk={"free_bytes": 0})
    yield made
    made.end()


def registered(home: Home, folder: Path, name: str = "unabridged") -> Path:
    """The host's configuration with our server in it."""
    server = {
        "command": sys.executable,
        "args": ["-m", "unabridged", "mcp"],
        "env": {"UNABRIDGED_HOME": str(home.folder), "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    }
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {name: server}}))
    return path


def archive(home: Home, *paths: Path) -> None:
    with home.connect() as client:
        client.call("import", {"paths": [str(path) for path in paths], "host": "claude-code"}, timeout=60.0)


def found(home: Home, folder: Path, query: str) -> list[dict[str, Any]]:
    with home.connect(project=str(folder)) as client:
        return client.call("search", {"query": query, "limit": 50})["hits"]


def result(request: Request) -> str:
    """What the model was given as the result of its last call."""
    (block,) = [block for block in request.body["messages"][-1]["content"] if block["type"] == "tool_result"]
    assert not block.get("is_error")
    content = block["content"]
    return content if isinstance(content, str) else content[0]["text"]


@pytest.mark.parametrize("name", ["unabridged", "memory"])
def test_claude_code_searches_the_archive_and_reads_a_passage(home: Home, tmp_path: Path, name: str) -> None:
    with Provider([provider_anthropic]) as provider:
        client = ClaudeCode(tmp_path, provider.url)
        archive(
            home,
            transcript(tmp_path / "t.jsonl", SESSION, 2, folder=str(client.project), words="zirconium"),
        )
        handle = found(home, client.project, "zirconium1")[0]["handle"]
        provider.then(
            Reply("I look.", [Call(f"mcp__{name}__search", {"query": "zirconium1", "limit": 3})]),
            Reply("I read.", [Call(f"mcp__{name}__recall", {"target": handle, "neighbors": 1})]),
            Reply("So that is settled."),
        )
        answer = client.say(
            "What was it?",
            "--mcp-config",
            str(registered(home, tmp_path, name)),
            "--allowedTools",
            f"mcp__{name}__search,mcp__{name}__recall",
        )
        assert "So that is settled." in answer
        sent = [request.text() for request in provider.agent_requests()]
    assert "past conversations of the coding agents on this machine" in sent[0]  # the server's instructions
    assert f"mcp__{name}__search" in sent[0]
    given = [result(request) for request in provider.agent_requests()[1:]]
    # The host gives the model the object, when there is one, and not the text.
    searched, recalled = (json.loads(text) for text in given)
    assert searched["label"] == recalled["label"] == LABEL
    assert searched["hits"][0]["handle"] == handle
    assert "user says zirconium1" in recalled["text"]

    # What our tools gave is archived with the conversation, and never found again as if somebody had said it.
    (own,) = client.transcripts()
    archive(home, own)
    hits = found(home, client.project, "zirconium1")
    again = [(hit["kind"], hit["tool"]) for hit in hits if hit["host_session"] != SESSION]
    # Under another name the question is not known as one to the archive; the answers always are.
    assert again == ([] if name == "unabridged" else [("tool-call", "mcp__memory__search")])
    assert found(home, client.project, "settled")[0]["host_session"] == own.stem


def test_claude_code_keeps_a_note(home: Home, tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client = ClaudeCode(tmp_path, provider.url)
        note = {"text": "The flash driver waits for BSY.", "title": "flash", "subject": "flash.wait"}
        provider.then(Reply("Noted.", [Call("mcp__unabridged__remember", note)]), Reply("Kept."))
        client.say(
            "Remember it.",
            "--mcp-config",
            str(registered(home, tmp_path)),
            "--allowedTools",
            "mcp__unabridged__remember",
        )
    (hit,) = found(home, client.project, "flash driver")
    assert hit["host"] == "note"
    assert hit["title"] == "flash"


def test_claude_code_gathers_evidence_and_reads_on_around_it(home: Home, tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client = ClaudeCode(tmp_path, provider.url)
        archive(
            home,
            transcript(tmp_path / "t.jsonl", SESSION, 6, folder=str(client.project), words="zirconium"),
        )
        handle = found(home, client.project, "zirconium3")[0]["handle"]
        provider.then(
            Reply("I look.", [Call("mcp__unabridged__gather", {"query": "zirconium3", "max_tokens": 900})]),
            Reply("I read on.", [Call("mcp__unabridged__traverse", {"target": handle, "after": 2})]),
            Reply("So that is settled."),
        )
        client.say(
            "What was it?",
            "--mcp-config",
            str(registered(home, tmp_path)),
            "--allowedTools",
            "mcp__unabridged__gather,mcp__unabridged__traverse",
        )
        sent = [request.text() for request in provider.agent_requests()]
        given = [json.loads(result(request)) for request in provider.agent_requests()[1:]]
    assert (
        "replaced_by" not in sent[0]
    )  # the shapes of answers are for programs: no conversation pays for them
    gathered, walked = given
    assert gathered["label"] == walked["label"] == LABEL
    texts = [item["text"] for item in gathered["evidence"]]
    assert any("user says zirconium3" in text for text in texts)
    assert len(texts) == len(set(texts)) > 1
    assert any(step["handle"] == handle and step["hit"] for step in walked["steps"])

    (own,) = client.transcripts()
    archive(home, own)
    again = [hit["host_session"] for hit in found(home, client.project, "zirconium3")]
    assert set(again) == {SESSION}  # what our tools gave is never found again
