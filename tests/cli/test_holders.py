"""Several archives in one agent: whichever goes first, what stood there before comes back to the byte."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.test_install import Machine
from unabridged.cli import journal as journals
from unabridged.cli import probing
from unabridged.daemon.paths import layout

JSON = (
    None,
    b"",
    b"{}",
    b"{ }\n",
    b" \r\n",
    b'{"a": "mine"}',
    b'{"a": "x", "a": "mine"}',
    b'{\n\t// mine\n\t"a": "mine",\n}\n',
    b'\xef\xbb\xbf{"mcpServers": {}, "a": "mine"}\r\n',
    b'{\r\n "mcpServers": {"x": {"command": "mine"}},\r\n "hooks": {"Stop": []}\r\n}',
    b'{"statusLine": null, "a": "mine"}',
    b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "mcp": {}}',
)
TOML = (
    None,
    b"",
    b"\n",
    b'a = "mine"',
    b'\xef\xbb\xbfa = "mine"\n',
    b'# mine\r\n[mcp_servers.x]\r\ncommand = "mine"\r\n\r\n',
    b'a = "mine"\n[mcp_servers]\n[hooks.state]',
    b'[[t]]\na = "mine"\n[[t]]\nb = 1',
    b'x = { a = "mine" }\nmcp_servers.y.command = "q"\n',
)
MARKDOWN = (None, b"", b"mine", b"mine\n", b"mine\r\n\r\n", b"\xef\xbb\xbfmine")
# By agent and scope: its files, and what a user may have in them.
FILES: Mapping[tuple[str, str], Mapping[str, tuple[bytes | None, ...]]] = {
    ("claude-code", "user"): {"home x/.claude/settings.json": JSON, "home x/.claude.json": JSON},
    ("claude-code", "project"): {"project/.mcp.json": JSON, "project/.claude/settings.local.json": JSON},
    ("codex", "user"): {
        "home x/.codex/hooks.json": JSON,
        "home x/.codex/config.toml": TOML,
        "home x/.codex/AGENTS.md": MARKDOWN,
    },
    ("codex", "project"): {
        "project/.codex/hooks.json": JSON,
        "project/.codex/config.toml": TOML,
        "home x/.codex/config.toml": TOML,
    },
    ("opencode", "user"): {"home x/.config/opencode/opencode.json": JSON},
    ("cursor", "user"): {"home x/.cursor/mcp.json": JSON},
}
EDITS = (b"mine too", "ü mine".encode())
FORMS = ((), ("--mcp-only",), ("--trust",), ("--no-statusline",))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.chdir(made.project)
    return made


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_order_archives_come_and_go_in_every_byte_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    shutil.rmtree(tmp_path / "m", ignore_errors=True)
    machine = Machine(tmp_path / "m")
    monkeypatch.chdir(machine.project)
    agent, scope = data.draw(st.sampled_from(sorted(FILES)))
    for name, contents in FILES[agent, scope].items():
        content = data.draw(st.sampled_from(contents))
        if content is not None:
            machine.write(f"../{name}", content)
    wanted = machine.snapshot()
    homes = [str(tmp_path / "m" / f"archive {number}") for number in range(data.draw(st.integers(1, 3)))]

    def run(verb: str, home: str, *form: str) -> None:
        assert machine.una(verb, agent, "--scope", scope, *form, UNABRIDGED_HOME=home).status == 0

    def install() -> None:
        home, form = data.draw(st.sampled_from(homes)), data.draw(st.sampled_from(FORMS))
        run("install", home, *form)
        once = machine.snapshot()
        run("install", home, *form)
        assert machine.snapshot() == once

    def edit() -> None:
        new = data.draw(st.sampled_from(EDITS))
        for name, (mode, content) in list(wanted.items()):
            path = Path(name)
            if isinstance(content, bytes) and b"mine" in content:
                path.write_bytes(path.read_bytes().replace(b"mine", new))
                wanted[name] = (mode, content.replace(b"mine", new))

    steps = {
        "install": install,
        "edit": edit,
        "uninstall": lambda: run("uninstall", data.draw(st.sampled_from(homes))),
    }
    for step in data.draw(st.lists(st.sampled_from(["install", "install", "edit", "uninstall"]), max_size=5)):
        steps[step]()
    for home in data.draw(st.permutations(homes)):
        run("uninstall", home)
    assert machine.snapshot() == wanted


def test_an_archive_leaves_an_agent_that_leads_to_another_by_now(machine: Machine) -> None:
    first, second = (str(machine.archive.with_name(name)) for name in ("one's", "two"))
    machine.write(".claude/settings.json", b"{}")
    before = machine.snapshot()
    machine.una("install", "claude-code", UNABRIDGED_HOME=first)
    told = machine.una("install", "claude-code", "--json", UNABRIDGED_HOME=second).json["agents"][0]
    assert any(first in note for note in told["notes"])
    held = machine.snapshot()
    assert machine.una("uninstall", UNABRIDGED_HOME=first).status == 0
    assert machine.snapshot() == held
    done = machine.una("uninstall", "claude-code", UNABRIDGED_HOME=first)  # by name, too
    assert f"`UNABRIDGED_HOME={second} una uninstall claude-code`" in done.err
    assert machine.snapshot() == held
    assert machine.una("uninstall", "claude-code", "--json", UNABRIDGED_HOME=first).json["agents"][0][
        "left_to"
    ] == [second]
    machine.una("uninstall", UNABRIDGED_HOME=second)
    assert machine.snapshot() == before


def test_an_archive_that_is_named_by_a_link_is_no_other(machine: Machine) -> None:
    machine.archive.mkdir(mode=0o700, exist_ok=True)
    link = machine.archive.with_name("link")
    link.symlink_to(machine.archive)
    machine.write(".cursor/mcp.json", b'{"a": 1}')
    before = machine.snapshot()
    assert machine.una("install", "cursor", UNABRIDGED_HOME=str(link)).status == 0
    told = [found.detail for found in probing.checks(machine.environ, probe=False)]
    assert told
    assert not any("another" in detail for detail in told)
    done = machine.una("uninstall", "cursor", "--json", UNABRIDGED_HOME=str(machine.archive)).json
    assert done["agents"][0]["left_to"] == []
    assert machine.snapshot() == before


def test_what_leads_to_an_archive_that_is_gone_is_taken_out(machine: Machine) -> None:
    gone = machine.archive.with_name("gone")
    machine.una("install", "codex", UNABRIDGED_HOME=str(gone))
    shutil.rmtree(gone)
    assert machine.una("uninstall", "codex").status == 0
    assert not (machine.home / ".codex/hooks.json").exists()


def test_a_project_cannot_bring_a_journal_along(machine: Machine) -> None:
    evil = machine.project / "evil"
    machine.una("install", "cursor", "--scope", "project", UNABRIDGED_HOME=str(evil))
    (path,) = (evil / "install").glob("*.json")
    journal: dict[str, Any] = json.loads(path.read_text())
    (file,) = journal["files"]
    settings_file = machine.home / ".ssh/config"
    settings_file.parent.mkdir()
    settings_file.write_text("kept")
    journal["files"][str(settings_file)] = {"before": None, "after": journal["files"][file]["after"]}
    path.write_text(json.dumps(journal))
    machine.una("install", "cursor", "--scope", "project")
    machine.una("uninstall", "cursor", "--scope", "project")
    assert settings_file.read_text() == "kept"


def test_of_the_trust_of_several_projects_each_goes_and_the_file_comes_back(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects = [machine.project.with_name(f"project {number}") for number in range(3)]
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        for content in (None, b'a = "mine"', b"\xef\xbb\xbf# mine\r\n"):
            path = machine.home / ".codex/config.toml"
            path.unlink(missing_ok=True)
            if content is not None:
                machine.write(".codex/config.toml", content)
            for project in projects:
                project.mkdir(exist_ok=True)
                monkeypatch.chdir(project)
                assert machine.una("install", "codex", "--scope", "project", "--trust").status == 0
            for number in order:
                monkeypatch.chdir(projects[number])
                assert machine.una("uninstall", "codex", "--scope", "project").status == 0
            assert (path.read_bytes() if path.exists() else None) == content
    assert journals.every(layout(machine.environ)) == ()
