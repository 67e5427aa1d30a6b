"""OpenCode and Pi with the extension that `una install` gives them, and no trace of it when it goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.support import provider_anthropic, provider_openai
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.installed import Installed, snapshot
from tests.support.provider import Provider, Reply

pytestmark = pytest.mark.real_client

SESSIONS = 3  # that may be begun until one is told something

AGENTS: dict[str, tuple[Callable[[Path, str], OpenCode | Pi], object]] = {
    "opencode": (OpenCode, provider_openai),
    "pi": (Pi, provider_anthropic),
}


@pytest.mark.parametrize("name", AGENTS)
def test_an_extension_works_where_it_is_put_and_goes_without_a_trace(
    home: Home, tmp_path: Path, name: str
) -> None:
    make, api = AGENTS[name]
    with Provider([api]) as provider:
        client = make(tmp_path / "a machine", provider.url)
        installed = Installed(home, client.env, client.project)
        old = transcript(tmp_path / "old.jsonl", SESSION, 6, folder=str(client.project), words="zirconium")
        installed.una("import", str(old))
        before = snapshot(tmp_path / "a machine")
        installed.una("install", name)
        checks = installed.answer("doctor", "--probe")["checks"]
        assert [check for check in checks if not check["ok"]] == []
        assert any(check["check"] == f"{name} tools" for check in checks)
        installed.una("uninstall")
        assert snapshot(tmp_path / "a machine") == before

        installed.una("install", name)
        provider.then(Reply("It is tantalum7."))
        client.say("What is it?")
        request = provider.agent_requests()[-1].text()
        assert "unabridged_search" in request or "unabridged__search" in request
        assert installed.sessions_with("tantalum7")
        installed.una("install", name, "--mcp-only")  # the one takes the other's place
        installed.una("install", name)
        installed.una("uninstall")
        assert not [
            path for path in snapshot(tmp_path / "a machine") if "extensions" in path or "plugin/" in path
        ]


@pytest.mark.parametrize("name", AGENTS)
def test_the_tools_alone_are_an_entry_in_its_own_file(home: Home, tmp_path: Path, name: str) -> None:
    make, api = AGENTS[name]
    with Provider([api]) as provider:
        client = make(tmp_path / "a machine", provider.url)
        installed = Installed(home, client.env, client.project)
        installed.una("install", name, "--mcp-only")
        checks = installed.answer("doctor", "--probe")["checks"]
        assert [check for check in checks if not check["ok"]] == []
        provider.then(Reply("Hello."))
        client.say("Hello?")
        request = provider.agent_requests()[-1].text()
        assert "unabridged_search" in request or "unabridged__search" in request


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_is_told_at_its_start_what_the_archive_holds(home: Home, tmp_path: Path, name: str) -> None:
    make, api = AGENTS[name]
    with Provider([api]) as provider:
        client = make(tmp_path / "a machine", provider.url)
        installed = Installed(home, client.env, client.project)
        old = transcript(tmp_path / "old.jsonl", SESSION, 6, folder=str(client.project), words="zirconium")
        installed.una("import", str(old))
        installed.una("install", name)
        told: list[int] = []
        while len(told) < SESSIONS and not any(told):  # on a busy machine a session goes on without
            client.say("What is it?")
            told.append(provider.agent_requests()[-1].text().count("<unabridged-archive>"))
        assert told[-1] == 1, told
