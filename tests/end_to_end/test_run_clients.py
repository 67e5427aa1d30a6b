"""`una run CLIENT`: each real client asks through a gateway of its own, with its own settings and its own providers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.daemon.living import Home
from tests.support import provider_anthropic, provider_openai
from tests.support.client_claude import ClaudeCode
from tests.support.client_codex import Codex
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.clients import PLAIN, RUN_WITHIN
from tests.support.provider import Provider, Reply
from tests.support.talks_programs import AiderHost, SdkHost
from tests.support.windowed import environment, upstreams

pytestmark = pytest.mark.real_client

# Nothing listens there: a client that asks its provider without us fails.
NOWHERE = "http://127.0.0.1:9"

Start = tuple[list[str | Path], Path, Mapping[str, str]]  # words, folder, environment


def claude(folder: Path) -> Start:
    client = ClaudeCode(folder, NOWHERE)
    env = {name: value for name, value in client.env.items() if name != "ANTHROPIC_BASE_URL"}
    return [_named(folder, "claude", client.binary), "-p", "Hi."], client.project, env


def codex(folder: Path) -> Start:
    client = Codex(folder, NOWHERE)
    path = client.root / "config.toml"
    kept = path.read_text().replace('model_provider = "local"\n', "")
    path.write_text(kept)
    env = {**client.env, "CODEX_API_KEY": "test"}
    words = [_named(folder, "codex", client.program), "exec", "--skip-git-repo-check", "Hi."]
    return words, client.project, env


def opencode(folder: Path) -> Start:
    client = OpenCode(folder, NOWHERE)
    path = Path(client.env["OPENCODE_CONFIG"])
    config = json.loads(path.read_text())
    model = config["provider"].pop("local")["models"]["fake-gpt"]
    config["provider"]["anthropic"] = {"options": {"apiKey": "test"}, "models": {"fake-claude": model}}
    config |= {
        "enabled_providers": ["anthropic"],
        "model": "anthropic/fake-claude",
        "small_model": "anthropic/fake-claude",
    }
    path.write_text(json.dumps(config))
    words = [_named(folder, "opencode", client.program), "run", "-m", "anthropic/fake-claude", "Hi."]
    return words, client.project, client.env


def pi(folder: Path) -> Start:
    client = Pi(folder, NOWHERE)
    (client.agent / "models.json").unlink()
    script = folder / "pi"
    script.write_text(f'#!/bin/sh\nexec "{client.node}" "{client.script}" "$@"\n')
    script.chmod(0o755)
    env = {**client.env, "ANTHROPIC_API_KEY": "test"}
    return (
        [script, "-p", "--provider", "anthropic", "--model", "claude-sonnet-4-5", "Hi."],
        client.project,
        env,
    )


def aider(folder: Path) -> Start:
    host = AiderHost(folder, "")
    return [*host.command(), "--message", "Hi."], host.project, host.env


def program(folder: Path) -> Start:
    host = SdkHost("responses", folder, "")
    return [*host.command()], host.project, host.env


CLIENTS: Mapping[str, Callable[[Path], Start]] = {
    "claude-code": claude,
    "codex": codex,
    "opencode": opencode,
    "pi": pi,
    "aider": aider,
    "api": program,
}


def _named(folder: Path, name: str, binary: Path) -> Path:
    """The program under the name by which its users know it."""
    link = folder / "bin" / name
    link.parent.mkdir()
    link.symlink_to(binary)
    return link


def start(
    home: Home,
    provider: Provider,
    words: list[str | Path],
    project: Path,
    env: Mapping[str, str],
    said: str = "",
) -> str:
    """Run a client behind a gateway that asks this provider; returns what it wrote."""
    flags = [part for name in upstreams(provider) for part in ("--upstream", name)]
    result = subprocess.run(
        [sys.executable, "-m", "unabridged", "run", *flags, "--", *map(str, words)],
        cwd=project,
        env={**PLAIN, **environment(home), **env},
        input=said,
        capture_output=True,
        text=True,
        timeout=RUN_WITHIN,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("host", CLIENTS)
def test_a_client_is_run_behind_a_gateway_and_its_words_are_archived(
    home: Home, tmp_path: Path, host: str
) -> None:
    words, project, env = CLIENTS[host](tmp_path)
    with (
        home.connect(project=str(project)) as client,
        Provider([provider_anthropic, provider_openai], default=Reply("It is zirconium.")) as provider,
    ):
        lines = json.dumps({"prompt": "Hi."}) + "\n" if host == "api" else ""
        written = start(home, provider, words, project, env, lines)
        said = "side." if host == "aider" else "It is zirconium."  # aider's model has no tools
        assert said in written
        assert provider.refusals == []
        windows = client.call("windows", {"scope": "all"})["windows"]
    main = [window for window in windows if not window["side"]]
    assert [window["host"] for window in main] == [host]
    assert main[0]["requests"] >= 1
    assert main[0]["cwd"] == str(project)


def test_a_client_that_is_run_again_goes_on_with_the_same_window(home: Home, tmp_path: Path) -> None:
    words, project, env = claude(tmp_path)
    with (
        home.connect(project=str(project)) as client,
        Provider([provider_anthropic], default=Reply("It is zirconium.")) as provider,
    ):
        for more in ([], ["-c"]):
            start(home, provider, [*words, *more], project, env)
        (window,) = client.call("windows", {"scope": "all"})["windows"]
        assert window["requests"] == 2
        first, second = provider.agent_requests()
        assert len(second.body["messages"]) > len(first.body["messages"])
        for words in ("Hi.", "It is zirconium."):
            hits = client.call("grep", {"pattern": words, "literal": True, "scope": "all"})["hits"]
            assert len(hits) == 2
