"""`una run`: whose settings decide where requests go."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged.gateway import clients
from unabridged.gateway.running import trusted

ADDRESS = "http://127.0.0.1:5"
FILES = {
    "claude": (".claude/settings.local.json", '{"env": {"ANTHROPIC_BASE_URL": "%s"}}'),
    "opencode": ("opencode.json", '{"provider": {"anthropic": {"options": {"baseURL": "%s"}}}}'),
}


@pytest.mark.parametrize("command", sorted(FILES))
def test_a_project_names_a_providers_address_only_where_it_is_trusted(tmp_path: Path, command: str) -> None:
    name, text = FILES[command]
    project, home = tmp_path / "project", tmp_path / "home"
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text(text % ADDRESS)
    home.mkdir()
    environ = {"HOME": str(tmp_path), "UNABRIDGED_HOME": str(home)}
    assert clients.upstreams([command], environ, trusted([command], environ, project)) == {}
    (home / "config.toml").write_text(f'[projects]\ntrusted = ["{project}"]\n')
    assert clients.upstreams([command], environ, trusted([command], environ, project)) == {
        "anthropic": ADDRESS
    }


def test_a_client_without_settings_in_projects_needs_no_trust(tmp_path: Path) -> None:
    assert trusted(["codex"], {}, tmp_path) is None
