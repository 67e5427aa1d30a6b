"""What makes a client use the gateway for one process: variables, or words of its command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unabridged.gateway import clients

BASE = "http://127.0.0.1:4567/token"
NOWHERE = Path("/nowhere")


@pytest.mark.parametrize("command", ["claude", "/usr/bin/aider", "./program.py"])
def test_a_client_that_reads_addresses_from_its_environment_gets_them_there(command: str) -> None:
    launch = clients.launch(
        [command, "-p", "Hi."], {"HOME": "/home/me", "OPENAI_BASE_URL": "http://else"}, BASE, NOWHERE
    )
    assert launch.words == (command, "-p", "Hi.")
    assert launch.environ["HOME"] == "/home/me"
    assert launch.environ["ANTHROPIC_BASE_URL"] == launch.environ["ANTHROPIC_API_BASE"] == BASE
    assert launch.environ["OPENAI_BASE_URL"] == launch.environ["OPENAI_API_BASE"] == f"{BASE}/v1"


def test_codex_is_told_on_its_command_line_before_its_own_words() -> None:
    launch = clients.launch(["codex", "exec", "Hi."], {}, BASE, NOWHERE)
    assert launch.words == ("codex", "-c", f'openai_base_url="{BASE}/v1"', "exec", "Hi.")


def test_opencode_keeps_what_its_user_set_for_this_process() -> None:
    given = {"model": "openai/x", "provider": {"openai": {"options": {"timeout": 5}}}}
    launch = clients.launch(["opencode"], {"OPENCODE_CONFIG_CONTENT": json.dumps(given)}, BASE, NOWHERE)
    found = json.loads(launch.environ["OPENCODE_CONFIG_CONTENT"])
    assert found["model"] == "openai/x"
    assert found["provider"]["openai"]["options"] == {"timeout": 5, "baseURL": f"{BASE}/v1"}
    assert found["provider"]["anthropic"]["options"] == {"baseURL": f"{BASE}/v1"}


def test_pi_is_given_an_extension_that_is_a_file_of_ours() -> None:
    launch = clients.launch(["pi", "-p", "Hi."], {}, BASE, NOWHERE)
    assert launch.words == ("pi", "-e", clients.PI_EXTENSION, "-p", "Hi.")
    assert "ANTHROPIC_BASE_URL" in Path(clients.PI_EXTENSION).read_text(encoding="utf-8")
    assert clients.launch(["pi"], {}, BASE, NOWHERE).words == ("pi", "-e", clients.PI_EXTENSION)


def test_a_command_of_pi_that_asks_no_model_is_left_alone() -> None:
    assert clients.launch(["pi", "install", "x"], {}, BASE, NOWHERE).words == ("pi", "install", "x")


def test_a_provider_that_the_user_named_in_the_environment_stays_the_one_that_is_asked() -> None:
    found = clients.upstreams(["claude"], {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1/a"}, NOWHERE)
    assert found["anthropic"] == "http://127.0.0.1:1/a"
    assert "openai" not in found


CODEX = """
model_provider = "mine"
openai_base_url = "http://127.0.0.1:2/v1"
[model_providers.mine]
base_url = "http://127.0.0.1:3/api"
[model_providers.other]
base_url = "http://127.0.0.1:4"
[profiles.work]
model_provider = "other"
"""


@pytest.mark.parametrize(
    ("words", "name", "url"),
    [
        (["codex"], "mine", "http://127.0.0.1:3/api"),
        (["codex", "-p", "work"], "other", "http://127.0.0.1:4"),
        (["codex", "exec", "-c", 'model_provider="other"', "Hi."], "other", "http://127.0.0.1:4"),
        (["codex", "-c", "model_provider=openai"], "openai", "http://127.0.0.1:2/v1"),
    ],
)
def test_the_provider_that_codex_is_set_to_is_asked_through_the_gateway(
    tmp_path: Path, words: list[str], name: str, url: str
) -> None:
    (tmp_path / "config.toml").write_text(CODEX)
    environ = {"CODEX_HOME": str(tmp_path)}
    assert clients.upstreams(words, environ, NOWHERE)[name] == url
    launched = clients.launch(words, environ, BASE, NOWHERE).words
    told = f'model_providers.{name}.base_url="{BASE}/{name}"'
    assert (told in launched) is (name != "openai")
    assert f'openai_base_url="{BASE}/v1"' in launched


def test_every_provider_that_opencode_is_set_to_is_asked_through_the_gateway(tmp_path: Path) -> None:
    inner = tmp_path / "project/inner"
    inner.mkdir(parents=True)
    mine = """{ // a comment with "quotes"
      "provider": {"mine": {"npm": "x", "options": {"baseURL": "http://127.0.0.1:3/v1",}}, /* more */
                   "openai": {"options": {"baseURL": "http://127.0.0.1:4/v1"}},
                   "plain": {}, "odd name": {"options": {"baseURL": "http://x"}}}}"""
    (tmp_path / "project/opencode.jsonc").write_text(mine)
    environ = {
        "HOME": str(tmp_path),
        "OPENCODE_CONFIG_CONTENT": '{"provider": {"mine": {"models": {"m": {}}}}}',
    }
    found = clients.upstreams(["opencode"], environ, inner)
    assert {name: found[name] for name in ("mine", "openai")} == {
        "mine": "http://127.0.0.1:3/v1",
        "openai": "http://127.0.0.1:4/v1",
    }
    assert "odd name" not in found
    content = clients.launch(["opencode"], environ, BASE, inner).environ["OPENCODE_CONFIG_CONTENT"]
    providers = json.loads(content)["provider"]
    assert providers["mine"] == {"models": {"m": {}}, "options": {"baseURL": f"{BASE}/mine"}}
    assert providers["openai"]["options"]["baseURL"] == f"{BASE}/openai"
    assert providers["anthropic"]["options"]["baseURL"] == f"{BASE}/v1"


def test_an_address_in_claude_codes_own_settings_is_where_requests_go_and_gives_way_for_this_run(
    tmp_path: Path,
) -> None:
    (tmp_path / "settings.json").write_text('{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:5"}}')
    environ = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
    assert clients.upstreams(["claude"], environ, NOWHERE)["anthropic"] == "http://127.0.0.1:5"
    launched = clients.launch(["claude", "-p", "Hi."], environ, BASE, NOWHERE).words
    assert launched == (
        "claude",
        "--settings",
        json.dumps({"env": {"ANTHROPIC_BASE_URL": BASE}}),
        "-p",
        "Hi.",
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "\xff\xfe", "model_provider = ", '{"env": 3, "provider": {"x": 1}}']
)
def test_settings_that_cannot_be_read_are_left_to_the_client(tmp_path: Path, text: str) -> None:
    for name in ("config.toml", "settings.json", "opencode.json"):
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    environ = {
        "CODEX_HOME": str(tmp_path),
        "CLAUDE_CONFIG_DIR": str(tmp_path),
        "HOME": str(tmp_path / "none"),
    }
    for words in (["codex"], ["claude"], ["opencode"]):
        assert clients.upstreams(words, environ, tmp_path) == {}


def test_every_provider_of_pis_file_of_models_is_asked_through_the_gateway(tmp_path: Path) -> None:
    models = {"providers": {"mine": {"baseUrl": "http://127.0.0.1:3/v1"}, "builtin": {"apiKey": "k"}}}
    (tmp_path / "models.json").write_text(json.dumps(models))
    environ = {"PI_CODING_AGENT_DIR": str(tmp_path)}
    assert clients.upstreams(["pi"], environ, NOWHERE) == {"mine": "http://127.0.0.1:3/v1"}
    launched = clients.launch(["pi"], environ, BASE, NOWHERE)
    assert json.loads(launched.environ[clients.PI_PROVIDERS]) == {"mine": f"{BASE}/mine"}
