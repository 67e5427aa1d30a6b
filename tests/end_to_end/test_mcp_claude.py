"""What Claude Code shows its model of the archive, and that what it was shown is never found again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.support import provider_anthropic
from tests.support.client_claude import ClaudeCode
from tests.support.mcp_hosts import claude_code, over_a_pipe
from tests.support.provider import Provider, Reply, Request
from unabridged.retrieve.envelope import LABEL

pytestmark = pytest.mark.real_client


def archive(home: Home, *paths: Path) -> None:
    with home.connect() as client:
        client.call("import", {"paths": [str(path) for path in paths], "host": "claude-code"}, timeout=60.0)


def found(home: Home, folder: Path, query: str) -> list[dict[str, Any]]:
    with home.connect(project=str(folder)) as client:
        return client.call("search", {"query": query, "limit": 50})["hits"]


def result(request: Request) -> Any:
    """What the model was given as the result of its last call: the object, when there is one, and not the text."""
    (block,) = [block for block in request.body["messages"][-1]["content"] if block["type"] == "tool_result"]
    assert not block.get("is_error")
    content = block["content"]
    return json.loads(content if isinstance(content, str) else content[0]["text"])


# https://github.com/thedotmack/claude-mem/issues/2171: what a tool gave is archived again, 123 levels deep.
@pytest.mark.parametrize("name", ["unabridged", "memory"])
def test_what_its_model_was_shown_is_never_found_again(home: Home, tmp_path: Path, name: str) -> None:
    with Provider([provider_anthropic]) as provider:
        agent = claude_code(tmp_path, provider, replace(over_a_pipe(home.folder), name=name))
        words = "zirconium"
        archive(home, transcript(tmp_path / "t.jsonl", SESSION, 6, folder=str(agent.project), words=words))
        handle = found(home, agent.project, "zirconium3")[0]["handle"]
        provider.then(
            Reply("I look.", [agent.call("search", {"query": "zirconium3", "limit": 3})]),
            Reply("I read.", [agent.call("recall", {"target": handle, "neighbors": 1})]),
            Reply("I gather.", [agent.call("gather", {"query": "zirconium3", "max_tokens": 900})]),
            Reply("I read on.", [agent.call("traverse", {"target": handle, "after": 2})]),
            Reply("So that is settled."),
        )
        agent.say("What was it?")
        sent = [request.text() for request in provider.agent_requests()]
        given = [result(request) for request in provider.agent_requests()[1:]]
    assert "past conversations of the coding agents on this machine" in sent[0]  # the server's instructions
    assert f"mcp__{name}__search" in sent[0]
    searched, recalled, gathered, walked = given
    assert {answer["label"] for answer in given} == {LABEL}
    assert searched["hits"][0]["handle"] == handle
    assert "user says zirconium3" in recalled["text"]
    texts = [item["text"] for item in gathered["evidence"]]
    assert any("user says zirconium3" in text for text in texts)
    assert len(texts) == len(set(texts)) > 1
    assert any(step["handle"] == handle and step["hit"] for step in walked["steps"])

    (own,) = ClaudeCode(tmp_path, provider.url).transcripts()
    archive(home, own)
    hits = found(home, agent.project, "zirconium3")
    again = {(hit["kind"], hit["tool"]) for hit in hits if hit["host_session"] != SESSION}
    # Under another name the questions are not known as some to the archive; the answers always are.
    questions = {("tool-call", f"mcp__memory__{tool}") for tool in ("search", "gather")}
    assert again == (set() if name == "unabridged" else questions)
    assert found(home, agent.project, "settled")[0]["host_session"] == own.stem
