"""Claude Code with what `una install` gives it: hooks, tools, commands, and no trace when it goes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.repository.source import ROOT
from tests.support import provider_anthropic
from tests.support.client_claude import ClaudeCode
from tests.support.clients import PLAIN, run_client
from tests.support.installed import Installed, snapshot, until
from tests.support.provider import Call, Provider, Reply, Rule
from unabridged.service.tools.table import LOADED

pytestmark = pytest.mark.real_client

TOOLS = "mcp__plugin_una_unabridged__"
ALLOWED = ("--allowedTools", "mcp__plugin_una_unabridged")
SETTINGS = b'{\r\n\t"permissions": {"allow": ["Bash", "Read", "Agent"]}\r\n}\r\n'


def machine(home: Home, folder: Path, provider: Provider) -> tuple[ClaudeCode, Installed]:
    """Claude Code and an archive that knows one earlier session of its project."""
    client = ClaudeCode(folder / "a machine", provider.url)
    (client.config / "settings.json").write_bytes(SETTINGS)
    installed = Installed(home, client.env, client.project)
    old = transcript(folder / "old.jsonl", SESSION, 6, folder=str(client.project), words="zirconium")
    installed.una("import", str(old))
    return client, installed


# https://github.com/thedotmack/claude-mem/issues/3016: what is uninstalled leaves hooks and processes.
def test_hooks_tools_and_commands_work_and_nothing_of_them_is_left(home: Home, tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client, installed = machine(home, tmp_path, provider)
        before = snapshot(client.home, client.config, client.project)
        installed.una("install", "claude-code")
        checks = installed.answer("doctor", "--probe")["checks"]
        assert [check for check in checks if not check["ok"]] == []
        told = [check["detail"] for check in checks if check["check"].startswith("claude-code")]
        assert any("SessionEnd: arrived at the daemon" in detail for detail in told)
        assert any("tools of unabridged" in detail for detail in told)
        installed.una("uninstall")
        assert snapshot(client.home, client.config, client.project) == before

        installed.una("install", "claude-code")
        provider.then(
            Reply("I look.", [Call(f"{TOOLS}search", {"query": "zirconium3"})]), Reply("It was tantalum7.")
        )
        client.say("What was zirconium3 about?", *ALLOWED)
        first, second = (request.text() for request in provider.agent_requests())
        assert "1 earlier session of this project" in first  # told at the session's start
        offered = {tool["name"] for tool in provider.agent_requests()[0].body["tools"]}
        assert {f"{TOOLS}{name}" for name in LOADED} <= offered  # not by their names alone
        assert "user says zirconium3" in second  # what the tool gave
        assert "tantalum7" in {hit["snippet"] for hit in installed.found("tantalum7")}.pop()

        provider.then(Reply("Shown."))
        client.say('/una:search zirconium "4" \'x')
        asked = provider.agent_requests()[-1].text()
        assert 'zirconium \\\\\\"4\\\\\\" \'x' in json.dumps(asked)
        for command, words in (("status", "archive"), ("why", "Hints are on"), ("window", "una run claude")):
            provider.then(Reply("Shown."))
            client.say(f"/una:{command}")
            assert words in provider.agent_requests()[-1].text()

        installed.una("uninstall")
        assert (client.config / "settings.json").read_bytes() == SETTINGS
        assert not (client.config / "skills").exists()
        asked_before = len(provider.agent_requests())
        client.say("Alone again.")
        (request,) = provider.agent_requests()[asked_before:]
        assert "unabridged" not in request.text()


def test_a_session_that_goes_on_forks_and_is_compacted_is_kept_as_one_history(
    home: Home, tmp_path: Path
) -> None:
    summary = Rule("CRITICAL: Respond with TEXT ONLY", Reply("<summary>Nothing much.</summary>"))
    with Provider([provider_anthropic], rules=[summary]) as provider:
        client, installed = machine(home, tmp_path, provider)
        installed.una("install", "claude-code")
        provider.then(Reply("It is osmium1."), Reply("It is osmium2."), Reply("It is osmium3."))
        client.say("First, please.")
        session = client.transcripts()[-1].stem
        client.say("Second, please.", "--resume", session)
        client.say("Third, please.", "--resume", session, "--fork-session")
        fork = next(path.stem for path in client.transcripts() if path.stem != session)
        assert installed.sessions_with("osmium1") == {session}
        assert installed.sessions_with("osmium2") == {session}
        assert installed.sessions_with("osmium3") == {fork}

        client.say("/compact", "--resume", session)
        provider.then(Reply("Behind it."))
        client.say("And now?", "--resume", session)
        last = provider.agent_requests()[-1].text()
        assert "It is osmium1." not in last.split("unabridged-catalogue")[0]
        assert "<unabridged-catalogue>" in last
        assert installed.found("osmium1")
        assert installed.found("Behind")
        (row,) = [one for one in installed.sessions() if one["host_session"] == session]
        assert row["host"] == "claude-code"


def test_a_subagent_is_a_session_of_its_own(home: Home, tmp_path: Path) -> None:
    task = {"description": "look", "prompt": "Look for iridium.", "subagent_type": "general-purpose"}
    asked = r'"text": "[^"]*Look for iridium'  # its own request, which the parent's only quotes
    answers = Rule(asked, Reply("It is rhenium5."), whole=True)
    with Provider([provider_anthropic], rules=[answers]) as provider:
        client, installed = machine(home, tmp_path, provider)
        installed.una("install", "claude-code")
        provider.then(Reply("I ask.", [Call("Agent", task)]), Reply("So it is rhenium6."))
        client.say("Find it.")
        parent = client.transcripts()[-1].stem
        (side,) = until(lambda: installed.sessions_with("rhenium5") - {parent}, "the subagent's session")
        assert side.startswith(f"{parent}/agent-")
        assert installed.sessions_with("rhenium6") == {parent}


def test_a_session_of_a_user_and_a_project_with_a_plugin_each_has_its_hooks_once(
    home: Home, tmp_path: Path
) -> None:
    with Provider([provider_anthropic]) as provider:
        client, installed = machine(home, tmp_path, provider)
        trusted = {"projects": {str(client.project): {"hasTrustDialogAccepted": True}}}
        (client.config / ".claude.json").write_text(json.dumps(trusted))
        installed.una("install", "claude-code", "--scope", "project")
        provider.then(Reply("Only here."))
        client.say("One.")
        assert provider.agent_requests()[-1].text().count("<unabridged-archive>") == 1
        installed.una("install", "claude-code")
        told = [
            check for check in installed.answer("doctor")["checks"] if "installed for all" in check["detail"]
        ]
        assert len(told) == 1
        provider.then(Reply("Twice."))
        client.say("Two.")
        assert provider.agent_requests()[-1].text().count("<unabridged-archive>") == 1
        assert until(lambda: installed.found("Twice"), "Twice")


def test_the_marketplace_of_this_repository_gives_the_same_where_una_is_on_the_path(
    home: Home, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "una"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m unabridged "$@"\n')
    program.chmod(0o755)
    with Provider([provider_anthropic]) as provider:
        client, installed = machine(home, tmp_path, provider)
        client.env |= {"UNABRIDGED_HOME": str(home.folder), "PATH": f"{program.parent}:{PLAIN['PATH']}"}
        for words in (
            ("validate", "--strict", "."),
            ("marketplace", "add", "./"),
            ("install", "una@unabridged"),
        ):
            run_client([client.binary, "plugin", *words], ROOT, client.env)
        provider.then(
            Reply("I look.", [Call(f"{TOOLS}search", {"query": "zirconium3"})]), Reply("It was tantalum7.")
        )
        client.say("What was zirconium3 about?", *ALLOWED)
        first, second = (request.text() for request in provider.agent_requests())
        assert "1 earlier session of this project" in first
        assert "user says zirconium3" in second
        assert installed.sessions_with("tantalum7")
        provider.then(Reply("Shown."))
        client.say("/una:status")
        assert "archive" in provider.agent_requests()[-1].text()
        # Installed here, too, still only one of both is loaded.
        installed.una("install", "claude-code")
        provider.then(Reply("Once."))
        client.say("And now?")
        assert provider.agent_requests()[-1].text().count("<unabridged-archive>") == 1


def test_a_program_that_was_removed_leaves_the_agent_as_it_is(home: Home, tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client, installed = machine(home, tmp_path, provider)
        installed.una("install", "claude-code")
        hooks = client.config / "skills/una/hooks/hooks.json"
        hooks.write_text(hooks.read_text().replace("/hook.py", "/gone/hook.py"))
        provider.then(Reply("As ever."))
        assert "As ever." in client.say("Hello?")
        checks = installed.answer("doctor", status=1)["checks"]
        (wrong,) = [check for check in checks if not check["ok"]]
        assert "which is gone" in wrong["detail"]
        installed.una("doctor", "--fix")
        assert "/gone/" not in hooks.read_text()
