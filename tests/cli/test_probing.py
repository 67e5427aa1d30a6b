"""What the doctor says of what stands in agents' files, and that it mends it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.double import Daemon
from tests.cli.double import una as command
from tests.cli.test_install import Machine

WELL: dict[str, Any] = {"ok": True, "checks": []}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.chdir(made.project)
    return made


def findings(machine: Machine, *words: str, **more: str) -> list[dict[str, Any]]:
    environ = {**machine.environ, **more}
    done = command("doctor", "--json", *words, daemon=Daemon(doctor=WELL), environ=environ).json
    assert done["ok"] == all(check["ok"] for check in done["checks"])
    return done["checks"]


def wrong(machine: Machine, *words: str, **more: str) -> list[str]:
    return [f"{one['check']}: {one['detail']}" for one in findings(machine, *words, **more) if not one["ok"]]


def test_nothing_is_said_of_agents_that_we_are_not_in(machine: Machine) -> None:
    machine.write(".claude/settings.json", b"{}")
    assert findings(machine) == []


def test_an_installation_that_is_whole_is_well(machine: Machine) -> None:
    machine.una("install", "claude-code")
    (one,) = findings(machine)
    assert (one["check"], one["ok"]) == ("claude-code", True)


def test_what_is_gone_is_named_and_put_back(machine: Machine) -> None:
    machine.una("install", "claude-code")
    gone = machine.home / ".claude/skills/una/hooks/hooks.json"
    gone.unlink()
    said = wrong(machine)
    assert any(str(gone) in line for line in said)
    assert "claude-code hooks: none of ours stands in its files" in said
    assert wrong(machine, "--fix") == []
    assert gone.exists()


def test_a_program_that_is_gone_is_named_and_installed_anew(machine: Machine) -> None:
    machine.una("install", "claude-code")
    servers = machine.home / ".claude/skills/una/.mcp.json"
    servers.write_text(servers.read_text().replace('"command": "/', '"command": "/gone/'))
    (said,) = wrong(machine)
    assert "which is gone" in said
    assert wrong(machine, "--fix") == []
    assert "/gone/" not in servers.read_text()


def test_an_older_version_is_named_and_updated(machine: Machine) -> None:
    machine.una("install", "codex", "--mcp-only")
    (path,) = (machine.archive / "install").glob("codex*.json")
    known = json.loads(path.read_text())
    path.write_text(json.dumps({**known, "version": "0.0.1"}))
    (said,) = wrong(machine)
    assert "installed by version 0.0.1" in said
    assert wrong(machine, "--fix") == []
    assert not (machine.home / ".codex/hooks.json").exists()  # as it had been asked for


def test_another_archive_is_named(machine: Machine) -> None:
    machine.una("install", "claude-code", UNABRIDGED_HOME=str(machine.archive / "other"))
    said = wrong(machine)
    assert any(f"leads to another archive: {machine.archive / 'other'}" in line for line in said)


def test_what_turns_hooks_off_is_named(machine: Machine) -> None:
    machine.una("install", "claude-code")
    path = machine.home / ".claude/settings.json"
    off = {
        **json.loads(path.read_text()),
        "disableAllHooks": True,
        "enabledPlugins": {"una@skills-dir": False},
    }
    path.write_text(json.dumps(off))
    said = " ".join(wrong(machine, UNABRIDGED_HOOKS="off"))
    assert "turns all hooks off" in said
    assert "turns the plugin off" in said
    assert "UNABRIDGED_HOOKS=off" in said


def test_a_server_that_is_registered_beside_the_plugin_is_named(machine: Machine) -> None:
    mine = {"mcpServers": {"unabridged": {"command": "una", "args": ["mcp"]}}}
    machine.write(".claude.json", json.dumps(mine).encode())
    machine.una("install", "claude-code")
    assert any("its tools are there twice" in line for line in wrong(machine))


def test_a_file_that_is_not_understood_is_a_finding_and_no_end(machine: Machine) -> None:
    machine.una("install", "claude-code")
    machine.una("install", "codex", "--mcp-only")
    machine.write(".claude/skills/una/.mcp.json", b"{")
    said = wrong(machine)
    assert any("una/.mcp.json: it is not JSON" in line for line in said)
    assert any(one["check"] == "codex" and one["ok"] for one in findings(machine))


def test_a_file_of_an_agent_that_we_are_not_in_is_its_own_affair(machine: Machine) -> None:
    machine.write(".cursor/mcp.json", b"{")
    assert findings(machine) == []


def test_a_journal_that_is_damaged_is_a_finding(machine: Machine) -> None:
    machine.una("install", "claude-code")
    next((machine.archive / "install").glob("*.json")).write_text("{")
    (said,) = wrong(machine)
    assert "cannot be read" in said


@pytest.mark.parametrize(
    "form", [(), ("--mcp-only",), ("--no-statusline",), ("--scope", "project"), ("--trust",)], ids="".join
)
@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode", "cursor"])
def test_a_damaged_journal_is_moved_away_and_what_stands_there_stays_as_it_is(
    machine: Machine, agent: str, form: tuple[str, ...]
) -> None:
    machine.una("install", agent, *form)
    before = machine.snapshot()
    (path,) = (machine.archive / "install").glob("*.json")
    path.write_bytes(b"\xff")
    untrusted = agent == "codex" and not {"--trust", "--mcp-only"} & set(form)
    assert [one for one in wrong(machine, "--fix") if "are not trusted" not in one] == []
    assert len(wrong(machine)) == untrusted
    assert machine.snapshot() == before
    assert (path.parent / "damaged" / f"{path.name}.1").read_bytes() == b"\xff"
    assert path.exists()
    scope = form if "--scope" in form else ()
    assert machine.una("uninstall", agent, *scope).status == 0
    assert not any(
        b"unabridged" in content for _, content in machine.snapshot().values() if isinstance(content, bytes)
    )


def test_a_damaged_journal_of_what_is_elsewhere_is_moved_away_and_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.una("install", "cursor", "--scope", "project")
    (path,) = (machine.archive / "install").glob("*.json")
    path.write_text("{")
    monkeypatch.chdir(machine.home)
    (found,) = findings(machine, "--fix")
    assert (found["check"], found["fixed"]) == ("cursor project", True)
    assert "damaged" in found["detail"]
    assert findings(machine) == []


def test_what_cannot_be_mended_keeps_nothing_else_from_it(machine: Machine) -> None:
    machine.una("install", "claude-code", "cursor")
    (machine.home / ".claude/skills/una/hooks/hooks.json").unlink()
    (machine.home / ".cursor/mcp.json").write_text("{")
    left = wrong(machine, "--fix")
    assert {line.split(":")[0] for line in left} == {"cursor"}
    assert any("not mended" in line for line in left)
    assert (machine.home / ".claude/skills/una/hooks/hooks.json").exists()


def test_nor_does_what_a_damaged_journal_was_about_where_that_is_not_understood(machine: Machine) -> None:
    machine.una("install", "codex", "claude-code")
    (machine.archive / "install/codex-user.json").write_text("{")
    (machine.home / ".codex/hooks.json").write_text("{")
    (machine.home / ".claude/skills/una/hooks/hooks.json").unlink()
    (left,) = wrong(machine, "--fix")
    assert left.startswith("codex: ")
    assert str(machine.archive / "install/damaged/codex-user.json.1") in left
    assert ".codex/hooks.json: it is not JSON" in left
    assert (machine.home / ".claude/skills/una/hooks/hooks.json").exists()


def test_the_home_folder_is_no_project_of_its_own(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.una("install", "claude-code", "cursor")
    monkeypatch.chdir(machine.home)
    assert [one["check"] for one in findings(machine)] == ["claude-code", "cursor"]


def test_a_copy_of_a_marketplace_is_named(machine: Machine) -> None:
    machine.una("install", "claude-code")
    path = machine.home / ".claude/settings.json"
    value = json.loads(path.read_text())
    path.write_text(json.dumps({**value, "enabledPlugins": {"una@unabridged": True, "una@skills-dir": True}}))
    (said,) = wrong(machine)
    assert "una@unabridged" in said
    path.write_text(json.dumps({**value, "enabledPlugins": {"una@unabridged": False}}))
    assert wrong(machine) == []


@pytest.mark.parametrize(
    ("server", "says"),
    [
        ("import sys", "does not answer as a server does"),
        ("raise SystemExit('no such module')", "no such module"),
        ("import time; time.sleep(60)", "no answer within"),
    ],
)
def test_a_server_that_does_not_answer_is_named_with_what_it_says(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, server: str, says: str
) -> None:
    from unabridged.cli import probing

    monkeypatch.setattr(probing, "SECONDS", 1.0 if "sleep" in server else 20.0)
    script = machine.home / "una.py"
    script.write_text(server)
    entry = {"command": sys.executable, "args": [str(script), "mcp"]}
    machine.write(".cursor/mcp.json", json.dumps({"mcpServers": {"unabridged": entry}}).encode())
    assert any(says in line for line in wrong(machine, "--probe"))


# https://github.com/vshulcz/deja-vu/issues/371: a hook that is configured never fires.
def test_a_hook_that_ends_badly_or_says_nothing_is_named(machine: Machine) -> None:
    machine.una("install", "claude-code")
    path = machine.home / ".claude/skills/una/hooks/hooks.json"
    hooks = json.loads(path.read_text())
    lines = {"Stop": "exit 3 # hook.py -I -S -E", "SessionEnd": "true # hook.py -I -S -E"}
    hooks["hooks"] = {event: [{"hooks": [{"command": line}]}] for event, line in lines.items()}
    path.write_text(json.dumps(hooks))
    machine.write(".claude/skills/una/.mcp.json", b'{"mcpServers": {}, "by": "unabridged"}')
    said = wrong(machine, "--probe")
    assert any("Stop: status 3" in line for line in said)
    assert any("SessionEnd: it ran, but nothing came back" in line for line in said)


def test_what_a_foreign_project_names_as_ours_is_never_run(machine: Machine) -> None:
    mark = machine.home / "ran"
    line = f"touch '{mark}' # hook.py -I -S -E"
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}
    shell = {"command": "/bin/sh", "args": ["-c", f"touch '{mark}' # una", "mcp"]}
    for name, content in {
        ".codex/hooks.json": json.dumps(hooks),
        ".mcp.json": json.dumps({"mcpServers": {"unabridged": shell}}),
        ".pi/extensions/unabridged/shim.ts": f'const UNA = ["/bin/sh","-c","touch \'{mark}\'"]; // x\n',
    }.items():
        path = machine.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    said = wrong(machine, "--probe")
    assert not mark.exists()
    assert sum("not tried" in one for one in said) == 3


def test_the_commands_of_a_project_that_are_ours_are_tried(machine: Machine) -> None:
    machine.una("install", "codex", "--mcp-only", "--scope", "project")
    assert any("tools of unabridged" in one["detail"] for one in findings(machine, "--probe"))


def test_a_command_whose_quotes_do_not_close_is_no_end(machine: Machine) -> None:
    (machine.project / ".codex").mkdir()
    hooks = {"hooks": {"Stop": [{"hooks": [{"command": "' hook.py -I -S -E"}]}]}}
    (machine.project / ".codex/hooks.json").write_text(json.dumps(hooks))
    assert findings(machine)


def test_an_installation_of_a_project_that_is_gone_is_named_stops_nothing_and_is_forgotten(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = machine.write(".codex/config.toml", b'a = "mine"')
    machine.una("install", "codex", "--scope", "project", "--trust")
    assert machine.una("install", "codex").status == 5  # in both its hooks would run twice
    monkeypatch.chdir(machine.home)
    shutil.rmtree(machine.project)
    (said,) = wrong(machine)
    assert str(machine.project) in said
    assert machine.una("install", "codex", "--mcp-only").status == 0
    assert machine.una("uninstall", "codex").status == 0
    assert wrong(machine, "--fix") == []
    assert not machine.project.exists()
    assert path.read_bytes() == b'a = "mine"'
    assert findings(machine) == []


@pytest.mark.parametrize(
    "odd", [7, True, "x", [], {}, [7], ["x"], {"x": 7}, {"hooks": 7}, [{"hooks": 7}]], ids=str
)
def test_no_form_of_what_a_project_brings_along_ends_a_command(machine: Machine, odd: Any) -> None:
    line = "python3 -I -S -E hook.py codex"
    server = {"command": "/x/una", "args": ["mcp"]}
    hooks = {
        "PreCompact": odd,
        "Stop": [odd, {"hooks": odd}, {"hooks": [odd, {"command": odd}, {"command": line, "timeout": odd}]}],
    }
    (machine.project / ".codex").mkdir()
    (machine.project / ".cursor").mkdir()
    for number, found in enumerate(({"hooks": odd}, {"hooks": hooks})):
        (machine.project / ".codex/hooks.json").write_text(json.dumps(found))
        for part in ({"args": odd}, {"env": odd}, {"command": odd}):
            entry = {"mcpServers": {"unabridged": {**server, **part}}}
            for name in (".mcp.json", ".cursor/mcp.json"):
                (machine.project / name).write_text(json.dumps([{"mcpServers": odd}, entry][number]))
            for agent in ("codex", "claude-code", "cursor"):
                form = ("--mcp-only",) if agent == "claude-code" else ()
                done = machine.una("install", agent, "--scope", "project", "--dry-run", *form)
                assert done.status in (0, 3), done.err  # done, or a file that is not understood
            assert all(one["check"] for one in findings(machine))


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("name", ["mcp_servers", "hooks", "hooks.state", "features", "projects"])
@pytest.mark.parametrize("odd", ["7", "'x'", "[7]", "[{}]"])
def test_a_table_of_codex_that_is_none_ends_no_command_and_stays(
    machine: Machine, name: str, odd: str, scope: str
) -> None:
    files = [machine.write(".codex/config.toml", f"{name} = {odd}\n".encode())]
    (machine.project / ".codex").mkdir()
    files.append(machine.project / ".codex/config.toml")
    files[1].write_bytes(files[0].read_bytes())
    before = machine.snapshot()
    done = machine.una("install", "codex", "--scope", scope, "--trust")
    refused = name in ("mcp_servers", "hooks", "hooks.state")
    assert done.status == (3 if refused else 0)
    if refused:
        assert f"`{name.split('.')[-1]}` is no table" in done.err
        assert machine.snapshot() == before
    assert all(one["check"] for one in findings(machine))
    assert machine.una("uninstall", "codex", "--scope", scope).status == 0
    assert machine.snapshot() == before
