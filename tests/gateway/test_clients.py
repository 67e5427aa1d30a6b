"""What makes a client use the gateway for one process: variables, or words of its command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unabridged.gateway import clients

BASE = "http://127.0.0.1:4567/token"


@pytest.mark.parametrize("command", ["claude", "/usr/bin/aider", "./program.py"])
def test_a_client_that_reads_addresses_from_its_environment_gets_them_there(command: str) -> None:
    launch = clients.launch(
        [command, "-p", "Hi."], {"HOME": "/home/me", "OPENAI_BASE_URL": "http://else"}, BASE
    )
    assert launch.words == (command, "-p", "Hi.")
    assert launch.environ["HOME"] == "/home/me"
    assert launch.environ["ANTHROPIC_BASE_URL"] == launch.environ["ANTHROPIC_API_BASE"] == BASE
    assert launch.environ["OPENAI_BASE_URL"] == launch.environ["OPENAI_API_BASE"] == f"{BASE}/v1"


def test_codex_is_told_on_its_command_line_before_its_own_words() -> None:
    launch = clients.launch(["codex", "exec", "Hi."], {}, BASE)
    assert launch.words == ("codex", "-c", f'openai_base_url="{BASE}/v1"', "exec", "Hi.")


def test_opencode_keeps_what_its_user_set_for_this_process() -> None:
    given = {"model": "openai/x", "provider": {"openai": {"options": {"timeout": 5}}}}
    launch = clients.launch(["opencode"], {"OPENCODE_CONFIG_CONTENT": json.dumps(given)}, BASE)
    found = json.loads(launch.environ["OPENCODE_CONFIG_CONTENT"])
    assert found["model"] == "openai/x"
    assert found["provider"]["openai"]["options"] == {"timeout": 5, "baseURL": f"{BASE}/v1"}
    assert found["provider"]["anthropic"]["options"] == {"baseURL": f"{BASE}/v1"}


def test_pi_is_given_an_extension_that_is_a_file_of_ours() -> None:
    launch = clients.launch(["pi", "-p", "Hi."], {}, BASE)
    assert launch.words == ("pi", "-e", clients.PI_EXTENSION, "-p", "Hi.")
    assert "ANTHROPIC_BASE_URL" in Path(clients.PI_EXTENSION).read_text(encoding="utf-8")
    assert clients.launch(["pi"], {}, BASE).words == ("pi", "-e", clients.PI_EXTENSION)


def test_a_command_of_pi_that_asks_no_model_is_left_alone() -> None:
    assert clients.launch(["pi", "install", "x"], {}, BASE).words == ("pi", "install", "x")


def test_a_provider_that_the_user_named_in_the_environment_stays_the_one_that_is_asked() -> None:
    found = clients.upstreams(["claude"], {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1/a"})
    assert found["anthropic"] == "http://127.0.0.1:1/a"
    assert "openai" not in found
