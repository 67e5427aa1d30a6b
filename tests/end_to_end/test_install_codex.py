"""Codex with what `una install` gives it: hooks that run once they are trusted, tools, and no trace when it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.support import provider_openai
from tests.support.client_codex import Codex, thread_of
from tests.support.installed import Installed, snapshot
from tests.support.provider import Call, Provider, Reply, Rule

pytestmark = pytest.mark.real_client

TOLD = "1 earlier session of this project"


def machine(home: Home, folder: Path, provider: Provider, more: str = "") -> tuple[Codex, Installed]:
    """Codex and an archive that knows one earlier session of its project."""
    client = Codex(folder / "a machine", provider.url, more)
    (client.root / "AGENTS.md").write_bytes(b"Be brief.")
    installed = Installed(home, client.env, client.project)
    old = transcript(folder / "old.jsonl", SESSION, 6, folder=str(client.project), words="zirconium")
    installed.una("import", str(old))
    return client, installed


def test_hooks_run_once_they_are_trusted_and_nothing_of_them_is_left(home: Home, tmp_path: Path) -> None:
    with Provider([provider_openai]) as provider:
        client, installed = machine(home, tmp_path, provider)
        before = snapshot(client.home, client.root, client.project)
        steps = installed.answer("install", "codex")["agents"][0]["steps"]
        assert "/hooks" in steps[0]
        wrong = [check for check in installed.answer("doctor", status=1)["checks"] if not check["ok"]]
        assert [check["detail"] for check in wrong] == [
            "7 of our hooks are not trusted, and Codex does not run them"
        ]
        provider.then(Reply("Hello."))
        client.say("Hello?")
        first = provider.agent_requests()[-1].text()
        assert "<unabridged-archive>" not in first  # the hooks do not run yet, the rest is there
        assert "Past conversations" in first
        assert "Be brief." in first

        installed.una("install", "codex", "--trust")
        checks = installed.answer("doctor", "--probe")["checks"]
        assert [check for check in checks if not check["ok"]] == []
        call = Call("search", {"query": "zirconium3"}, namespace="mcp__unabridged")
        provider.then(Reply("I look.", [call]), Reply("It was tantalum7."))
        client.say("What was zirconium3 about?")
        asked, looked = (request.text() for request in provider.agent_requests()[-2:])
        assert (
            asked.count("<unabridged-archive>") == 1
        )  # of one or two sessions: the first is followed without hooks
        assert "user says zirconium3" in looked
        thread = thread_of(client.transcripts()[-1])
        assert installed.sessions_with("tantalum7") == {thread}

        installed.una("uninstall")
        left = snapshot(client.home, client.root, client.project)
        assert {path: left.get(path) for path in before} == before
        assert not any(
            b"unabridged" in content
            for path, (_, _, content) in left.items()
            if "sessions" not in path and path.endswith((".toml", ".json", ".md"))
        )


def test_threads_that_go_on_and_fork_are_kept_as_they_are(home: Home, tmp_path: Path) -> None:
    with Provider([provider_openai]) as provider:
        client, installed = machine(home, tmp_path, provider)
        installed.una("install", "codex", "--trust")
        provider.then(Reply("It is osmium1."), Reply("It is osmium2."), Reply("It is osmium3."))
        client.say("First, please.")
        thread = thread_of(client.transcripts()[-1])
        client.say("Second, please.", "resume", thread)
        client.say("Third, please.", "fork", thread)
        fork = next(name for name in map(thread_of, client.transcripts()) if name != thread)
        assert installed.sessions_with("osmium1") == {thread}
        assert installed.sessions_with("osmium2") == {thread}
        assert installed.sessions_with("osmium3") == {fork}


def test_what_a_compaction_took_out_is_told_of_and_found(home: Home, tmp_path: Path) -> None:
    summary = Rule("CONTEXT CHECKPOINT", Reply("Nothing much."))
    long = {"input_tokens": 25_000, "output_tokens": 10, "total_tokens": 25_010}
    with Provider([provider_openai], rules=[summary]) as provider:
        client, installed = machine(home, tmp_path, provider, "model_auto_compact_token_limit = 20000")
        installed.una("install", "codex", "--trust")
        provider.then(Reply("It is osmium1.", usage=long), Reply("It is osmium2."))
        client.say("First, please.")
        client.say("Second, please.", "resume", thread_of(client.transcripts()[-1]))
        first, asked, last = (request.text() for request in provider.requests[-3:])
        assert TOLD in first
        assert "CONTEXT CHECKPOINT" in asked
        assert last.count("<unabridged-catalogue>") == 1
        assert installed.sessions_with("osmium1") == {thread_of(client.transcripts()[-1])}


def test_a_second_scope_is_refused_since_its_hooks_would_run_twice(home: Home, tmp_path: Path) -> None:
    with Provider([provider_openai]) as provider:
        client, installed = machine(home, tmp_path, provider)
        installed.una("install", "codex", "--trust")
        error = installed.answer("install", "codex", "--scope", "project", status=5)["error"]
        assert "run twice" in error["message"]
        installed.una("uninstall")
        installed.una("install", "codex", "--scope", "project", "--trust")
        provider.then(Reply("Only here."))
        client.say("Hello?")
        assert provider.agent_requests()[-1].text().count(TOLD) == 1
