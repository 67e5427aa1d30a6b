"""Agents whose installation is not as it was: the program is gone, or lies where its name is hard to write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.daemon.living import Home
from tests.support import provider_anthropic, provider_openai
from tests.support.client_claude import ClaudeCode
from tests.support.client_codex import Codex
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.clients import RUN_WITHIN
from tests.support.installed import Installed
from tests.support.provider import Provider, Reply

pytestmark = pytest.mark.real_client

Client = ClaudeCode | Codex | OpenCode | Pi
AGENTS: dict[str, tuple[Callable[[Path, str], Client], object, tuple[str, ...]]] = {
    "claude-code": (ClaudeCode, provider_anthropic, ()),
    "codex": (Codex, provider_openai, ("--trust",)),
    "opencode": (OpenCode, provider_openai, ()),
    "pi": (Pi, provider_anthropic, ()),
}
# A name that means much to shells, JSON, TOML and JavaScript, in both forms of one letter.
WILD = "a $HOME %s $(touch ran) \"q\" 'q' \\b `touch ran`; & u\u0308 \u00fc * ?\nx"


def wrong(installed: Installed, *words: str, status: int) -> list[str]:
    checks = installed.answer("doctor", *words, status=status)["checks"]
    return [check["detail"] for check in checks if not check["ok"]]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_program_that_was_deleted_disturbs_no_agent_and_is_mended_or_taken_out(
    home: Home, tmp_path: Path, agent: str
) -> None:
    make, api, more = AGENTS[agent]
    with Provider([api]) as provider:
        client = make(tmp_path / "a machine", provider.url)
        installed = Installed(home, client.env, client.project)
        environment = tmp_path / "venv"  # of its own, by name: the same program
        environment.symlink_to(sys.prefix)
        subprocess.run(
            [environment / "bin/python", "-m", "unabridged", "install", agent, *more],
            env=installed.env,
            cwd=client.project,
            check=True,
            capture_output=True,
            timeout=RUN_WITHIN,
        )
        environment.unlink()
        provider.then(Reply("As ever."))
        assert "As ever." in client.say("Hello?")
        assert all("which is gone" in detail for detail in wrong(installed, status=1))
        # Codex asks for its trust again: its hooks are others now.
        trusted = agent != "codex"
        left = wrong(installed, "--fix", status=0 if trusted else 1)
        assert [detail for detail in left if "are not trusted" not in detail] == []
        assert not any(
            str(environment).encode() in path.read_bytes()
            for path in (tmp_path / "a machine").rglob("*")
            if path.suffix in (".json", ".js", ".ts") and path.is_file() and "sessions" not in path.parts
        )
        installed.una("uninstall")


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
def test_an_archive_whose_name_means_much_is_reached_and_nothing_in_it_is_run(
    tmp_path: Path, agent: str
) -> None:
    make, api, more = AGENTS[agent]
    home = Home(tmp_path / WILD)
    home.configure(disk={"free_bytes": 0})
    try:
        with Provider([api]) as provider:
            client = make(tmp_path / "a machine", provider.url)
            installed = Installed(home, client.env, client.project)
            installed.una("install", agent, *more)
            assert wrong(installed, "--probe", status=0) == []
            provider.then(Reply("It is osmium1."))
            client.say("First, please.")
            assert installed.found("osmium1")
            assert not list(tmp_path.rglob("ran"))
            assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a machine", WILD])
    finally:
        home.end()
