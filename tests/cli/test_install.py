"""What `una install` puts into agents' files, and that `una uninstall` gives every byte back."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.double import Outcome, una
from unabridged.cli import agents, applying
from unabridged.cli import journal as journals
from unabridged.daemon.paths import layout
from unabridged.hosts.installing import Edit

SETTINGS = b'\xef\xbb\xbf{\r\n\t// mine\r\n\t"model": "opus", /* why */\r\n\t"permissions": {"allow": ["Bash"],},\r\n}'


class Machine:
    """A user's home with an archive of its own."""

    def __init__(self, folder: Path) -> None:
        self.home, self.archive, self.project = folder / "home x", folder / "archive ü", folder / "project"
        for path in (self.home, self.project):
            path.mkdir(parents=True)
        self.environ = {
            "HOME": str(self.home),
            "UNABRIDGED_HOME": str(self.archive),
            "PATH": "/nowhere",
        }

    def una(self, *words: str, **more: str) -> Outcome:
        return una(*words, environ={**self.environ, **more})

    def write(self, name: str, content: bytes) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def snapshot(self) -> dict[str, tuple[int, bytes | str]]:
        """Everything in home and project: paths, modes, bytes, links."""
        found: dict[str, tuple[int, bytes | str]] = {}
        for root in (self.home, self.project):
            for path in sorted(root.rglob("*")):
                mode = path.lstat().st_mode
                content = (
                    str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
                )
                found[str(path)] = (mode, content)
        return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.chdir(made.project)
    return made


# Each agent with a file of its user that an installation touches.
CODEX = b'# mine\r\nmodel = "o"\r\n[mcp_servers.x]\r\ncommand = "x" # why\r\n\r\n[tui]  # mine, too'
AGENTS = {
    "claude-code": (".claude/settings.json", SETTINGS),
    "codex": (".codex/config.toml", CODEX),
    "opencode": (".config/opencode/opencode.jsonc", SETTINGS),
    "pi": (".pi/agent/mcp.json", SETTINGS),
    "gemini": (".gemini/settings.json", SETTINGS),
    "cursor": (".cursor/mcp.json", b"{\n  // mine\n}\n"),
    "cline": (".cline/data/settings/cline_mcp_settings.json", SETTINGS),
}
FORMS = ((), ("--mcp-only",), ("--scope", "project"), ("--scope", "project", "--mcp-only"))


def scope_of(form: tuple[str, ...]) -> tuple[str, ...]:
    return ("--scope", "project") if "--scope" in form else ()


@pytest.mark.parametrize("form", FORMS, ids="".join)
@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_installed_goes_again_without_a_trace(
    machine: Machine, agent: str, form: tuple[str, ...]
) -> None:
    machine.write(*AGENTS[agent])
    before = machine.snapshot()
    if machine.una("install", agent, *form).status == 2:
        pytest.skip("it has no settings of that scope")
    assert machine.snapshot() != before
    once = machine.snapshot()
    assert machine.una("install", agent, *form).status == 0
    assert machine.snapshot() == once
    assert machine.una("uninstall", agent, *scope_of(form)).status == 0
    assert machine.snapshot() == before
    assert journals.every(layout(machine.environ)) == ()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_dry_run_shows_every_change_and_makes_none(machine: Machine, agent: str) -> None:
    machine.write(*AGENTS[agent])
    before = machine.snapshot()
    planned = machine.una("install", agent, "--dry-run", "--json").json["agents"][0]["files"]
    assert machine.snapshot() == before
    assert not machine.archive.exists()
    done = machine.una("install", agent, "--json").json["agents"][0]["files"]
    assert planned == done
    assert all(row["diff"] for row in done)
    shown = machine.una("uninstall", agent, "--dry-run")
    assert "would be uninstalled" in shown.out
    assert machine.una("install", agent, "--json").json["agents"][0]["files"] == []


def test_a_dry_run_needs_no_answer(machine: Machine) -> None:
    for agent in ("codex", "pi"):
        machine.write(*AGENTS[agent])
    before = machine.snapshot()
    shown = machine.una("install", "--dry-run")
    assert shown.status == 0
    assert "Codex: would be installed" in shown.out
    assert "Pi: would be installed" in shown.out
    assert machine.snapshot() == before


@pytest.mark.parametrize("form", [(), ("--mcp-only",)], ids="".join)
@pytest.mark.parametrize("agent", AGENTS)
def test_what_a_person_changed_since_stays_when_our_part_goes(
    machine: Machine, agent: str, form: tuple[str, ...]
) -> None:
    machine.write(*AGENTS[agent])
    machine.una("install", agent, *form)
    kept = journals.every(layout(machine.environ))[0]
    edited = [Path(path) for path, entry in kept.files.items() if entry.before is not None]
    originals = {path: kept.files[str(path)].before or b"" for path in edited}
    for path in edited:
        path.write_bytes(path.read_bytes().replace(b"mine", b"yours"))
    assert machine.una("uninstall", agent).status == 0
    for path in edited:
        assert path.read_bytes() == originals[path].replace(b"mine", b"yours")


def test_a_file_of_ours_that_a_person_changed_is_kept_aside(machine: Machine) -> None:
    machine.una("install", "claude-code")
    skill = machine.home / ".claude/skills/una/skills/archive/SKILL.md"
    skill.write_text("my own unabridged words")
    done = machine.una("uninstall", "claude-code")
    assert not skill.exists()
    copy = Path(done.err.split("kept in ")[1].splitlines()[0])
    assert copy.read_text() == "my own unabridged words"


def test_a_file_that_is_not_ours_is_never_overwritten(machine: Machine) -> None:
    path = machine.write(".claude/skills/una/.mcp.json", b'{"mcpServers": {}}')
    done = machine.una("install", "claude-code", "--json")
    assert done.json["error"]["code"] == "would-overwrite"
    assert str(path) in done.json["error"]["details"]["path"]
    assert list(machine.home.rglob("*.md")) == []


def test_a_status_line_of_the_user_stays_and_is_told_of(machine: Machine) -> None:
    mine = b'{"statusLine": {"type": "command", "command": "my-line"}}'
    path = machine.write(".claude/settings.json", mine)
    done = machine.una("install", "claude-code")
    assert path.read_bytes() == mine
    assert "Your own status line stays" in done.err


def test_an_entry_of_the_user_under_our_name_stays(machine: Machine) -> None:
    mine = b'{"mcpServers": {"unabridged": {"command": "una", "args": ["mcp"]}}}'
    path = machine.write(".claude.json", mine)
    machine.una("install", "claude-code", "--mcp-only")
    assert path.read_bytes() == mine
    machine.una("uninstall", "claude-code")
    assert path.read_bytes() == mine


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"{", "host-file-unclear"), (b"[]", "host-file-unclear"), (b"\xff\xfe{\0}\0", "host-file-unclear")],
)
def test_a_file_that_is_not_understood_is_named_and_nothing_is_written(
    machine: Machine, content: bytes, code: str
) -> None:
    path = machine.write(".claude/settings.json", content)
    before = machine.snapshot()
    error = machine.una("install", "claude-code", "--json").json["error"]
    assert error["code"] == code
    assert str(path) in json.dumps(error, ensure_ascii=False)
    assert machine.snapshot() == before


def test_a_file_that_may_not_be_written_is_named_and_nothing_is_written(machine: Machine) -> None:
    path = machine.write(".claude/settings.json", SETTINGS)
    path.chmod(0o444)
    before = machine.snapshot()
    error = machine.una("install", "claude-code", "--json").json["error"]
    assert error["code"] == "read-only"
    assert str(path) in error["message"]
    assert machine.snapshot() == before


def test_a_folder_that_may_not_be_written_is_named(machine: Machine) -> None:
    folder = machine.write(".claude/x", b"").parent
    folder.chmod(0o555)
    error = machine.una("install", "claude-code", "--json").json["error"]
    folder.chmod(0o755)
    assert error["code"] == "read-only"
    assert str(folder) in error["message"]


def test_a_link_is_written_through_and_stays_a_link(machine: Machine) -> None:
    real = machine.home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(SETTINGS)
    real.chmod(0o600)
    link = machine.home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    before = machine.snapshot()
    machine.una("install", "claude-code")
    assert link.is_symlink()
    assert b"statusline" in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o600
    machine.una("uninstall", "claude-code")
    assert machine.snapshot() == before


def test_without_a_name_what_is_here_is_listed_and_nothing_done_unasked(machine: Machine) -> None:
    assert "no agent was found" in machine.una("install").err
    machine.write(".claude/settings.json", b"{}")
    asked = machine.una("install")
    assert asked.status == 2
    assert "una install claude-code" in asked.err
    assert machine.una("install", "--yes").status == 0
    assert (machine.home / ".claude/skills/una/hooks/hooks.json").exists()
    assert machine.una("uninstall").status == 0
    assert "nothing is installed" in machine.una("uninstall").out


def test_an_agent_that_is_not_known_and_a_home_that_is_not_there_are_refused(machine: Machine) -> None:
    assert "claude-code" in machine.una("install", "nobody").err
    assert machine.una("install", "claude-code", HOME="/").status == 2


def test_what_an_older_version_had_put_elsewhere_goes_with_an_update(machine: Machine) -> None:
    machine.una("install", "claude-code", "--mcp-only")
    assert (machine.home / ".claude.json").exists()
    machine.una("install", "claude-code")
    assert not (machine.home / ".claude.json").exists()
    assert (machine.home / ".claude/skills/una/.mcp.json").exists()


def test_an_installation_of_another_home_is_taken_over_whole(machine: Machine) -> None:
    machine.write(*AGENTS["claude-code"])
    machine.una("install", "claude-code", UNABRIDGED_HOME=str(machine.archive / "other"))
    machine.una("install", "claude-code")
    hooks = (machine.home / ".claude/skills/una/hooks/hooks.json").read_text()
    assert "other" not in hooks
    machine.una("uninstall", "claude-code")
    assert (machine.home / ".claude/settings.json").read_bytes() == SETTINGS
    assert not (machine.home / ".claude/skills/una").exists()


def test_of_installations_at_once_each_finds_the_files_whole(machine: Machine) -> None:
    machine.write(*AGENTS["claude-code"])
    before = machine.snapshot()
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda _: machine.una("install", "claude-code").status, range(6)))
    assert done == [0] * 6
    machine.una("uninstall", "claude-code")
    assert machine.snapshot() == before


def failing(after: int) -> Callable[[Edit], None]:
    """A writer that fails once, at the given edit."""
    count, real = iter(range(1 << 30)), applying._write

    def write(edit: Edit) -> None:
        if next(count) == after:
            raise OSError(28, "No space left on device")
        real(edit)

    return write


@pytest.mark.parametrize("at", range(11))
def test_an_installation_that_fails_half_way_leaves_nothing_of_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    machine.write(*AGENTS["claude-code"])
    before = machine.snapshot()
    monkeypatch.setattr(applying, "_write", failing(at))
    error = machine.una("install", "claude-code", "--json").json["error"]
    assert error["code"] == "disk-full"
    assert machine.snapshot() == before
    assert journals.every(layout(machine.environ)) == ()


@pytest.mark.parametrize("at", range(11))
@pytest.mark.parametrize("then", ["install", "uninstall"])
def test_an_installation_that_was_killed_half_way_is_finished_or_undone_by_the_next(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, at: int, then: str
) -> None:
    machine.write(*AGENTS["claude-code"])
    before = machine.snapshot()

    class Killed(BaseException):
        pass

    count, real = iter(range(1 << 30)), applying._write

    def write(edit: Edit) -> None:
        if next(count) == at:
            raise Killed
        real(edit)

    with monkeypatch.context() as patch:
        patch.setattr(applying, "_write", write)
        with pytest.raises(Killed):
            machine.una("install", "claude-code")
    assert machine.una(then, "claude-code").status == 0
    if then == "install":
        assert journals.every(layout(machine.environ))[0].state == journals.APPLIED
        machine.una("uninstall", "claude-code")
    assert machine.snapshot() == before


@pytest.mark.parametrize("at", range(11))
def test_an_uninstallation_that_was_killed_half_way_is_finished_by_the_next(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    machine.write(*AGENTS["claude-code"])
    before = machine.snapshot()
    machine.una("install", "claude-code")

    class Killed(BaseException):
        pass

    count, real = iter(range(1 << 30)), applying._write

    def write(edit: Edit) -> None:
        if next(count) == at:
            raise Killed
        real(edit)

    with monkeypatch.context() as patch:
        patch.setattr(applying, "_write", write)
        with pytest.raises(Killed):
            machine.una("uninstall", "claude-code")
    assert machine.una("uninstall", "claude-code").status == 0
    assert machine.snapshot() == before


def test_of_a_checkout_its_top_is_the_project(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    below = machine.project / "a" / "b"
    below.mkdir(parents=True)
    (machine.project / ".git").write_text("gitdir: /elsewhere/.git/worktrees/project\n")
    monkeypatch.chdir(below)
    machine.una("install", "cursor", "--scope", "project")
    assert (machine.project / ".cursor/mcp.json").exists()
    monkeypatch.chdir(machine.project)
    assert machine.una("uninstall", "--scope", "project").status == 0
    assert not (machine.project / ".cursor").exists()


def test_a_journal_that_is_damaged_is_named(machine: Machine) -> None:
    machine.una("install", "claude-code")
    (path,) = (machine.archive / "install").glob("*.json")
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("{")
    assert machine.una("uninstall", "claude-code", "--json").json["error"]["code"] == "corrupt"
    path.unlink()
    assert machine.una("uninstall", "claude-code").status == 0  # what is known to be ours goes all the same
    assert not (machine.home / ".claude/skills/una/.mcp.json").exists()


def test_a_journal_that_is_damaged_stops_what_is_about_its_own_agent_alone(machine: Machine) -> None:
    machine.una("install", "codex", "cursor")
    broken = machine.archive / "install/codex-user.json"
    broken.write_text("{")
    assert machine.una("install", "claude-code").status == 0
    done = machine.una("install", "codex", "pi")
    assert done.status == 7
    assert "Codex: not installed" in done.out
    assert "una doctor --fix" in done.err
    assert (machine.home / ".pi/agent/extensions/unabridged/shim.ts").exists()
    done = machine.una("uninstall", "--json")
    assert done.status == 7
    told = {row["agent"]: row for row in done.json["agents"]}
    assert not done.json["ok"]
    assert told["codex"]["error"]["code"] == "corrupt"
    assert told["cursor"]["files"]
    assert not (machine.home / ".cursor").exists()
    assert (machine.home / ".codex/hooks.json").exists()


def test_of_several_agents_one_that_cannot_be_written_keeps_none_of_the_others_from_it(
    machine: Machine,
) -> None:
    machine.write(".gemini/settings.json", b"{")
    machine.write(".cursor/mcp.json", b"{}")
    done = machine.una("install", "--yes")
    assert done.status == 3
    assert "Gemini CLI: not installed" in done.out
    assert "Cursor: installed" in done.out
    assert ".gemini/settings.json" in done.err
    rows = machine.una("install", "gemini", "cursor", "--json").json["agents"]
    assert [(row["agent"], "error" in row) for row in rows] == [("cursor", False), ("gemini", True)]
    assert machine.una("install", "gemini").status == 3  # alone it is the command's own error


def test_the_home_folder_is_no_project(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(machine.home)
    for agent in ("claude-code", "codex", "cursor"):
        done = machine.una("install", agent, "--scope", "project")
        assert done.status == 2
        assert "is no project" in done.err
    assert list(machine.home.iterdir()) == []
    (machine.home / ".cursor").mkdir()
    assert (
        machine.una("install", "--yes", "--scope", "project").status == 2
    )  # nothing is left to install into


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["statusLine", "model", "hooks", "x"]),
        st.none() | st.integers() | st.just({}),
        max_size=3,
    )
)
def test_whatever_a_user_had_in_a_file_is_there_again(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    machine = Machine(tmp_path_factory.mktemp("m"))
    path = machine.write(".claude/settings.json", json.dumps(value).encode())
    before = machine.snapshot()
    assert machine.una("install", "claude-code").status == 0
    assert machine.una("uninstall", "claude-code").status == 0
    assert machine.snapshot() == before
    assert path.exists()


def test_a_hook_runs_wherever_it_lies_and_does_nothing_where_it_lies_no_more(machine: Machine) -> None:
    folder = machine.home / "a 'b' \"c\" $HOME ü"
    folder.mkdir()
    python, hook = folder / "python", folder / "hook.py"
    facts = replace(agents.facts(machine.environ), python=str(python), hook=str(hook))
    line = facts.hook_line("claude-code")

    def status() -> tuple[int, str]:
        done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    python.symlink_to(sys.executable)
    assert status() == (0, "")  # the file is gone
    hook.write_text("import sys; print(sys.argv[1:]); sys.exit(7)")
    assert status() == (7, f"['claude-code', '--home', {str(machine.archive)!r}]\n")
    python.unlink()
    assert status() == (0, "")  # what it was to run with is gone


def test_a_trust_that_is_still_good_stays_with_what_codex_keeps_beside_it(machine: Machine) -> None:
    machine.write(*AGENTS["codex"])
    machine.una("install", "codex", "--trust")
    path = machine.home / ".codex/config.toml"
    path.write_text(path.read_text().replace('stop:0:0"]\n', 'stop:0:0"]\nenabled = false\n', 1))
    machine.una("install", "codex")
    assert path.read_text().count("trusted_hash") == 7
    assert path.read_text().count("enabled = false") == 1
    machine.una("uninstall")
    assert tomllib.loads(path.read_text()) == tomllib.loads(CODEX.decode())


def test_the_trust_goes_from_a_file_that_somebody_changed_since(machine: Machine) -> None:
    machine.write(*AGENTS["codex"])
    machine.una("install", "codex", "--trust")
    path = machine.home / ".codex/config.toml"
    path.write_text(path.read_text() + "\n[later]\nkept = true\n")
    machine.una("uninstall", "codex")
    assert tomllib.loads(path.read_text()) == {**tomllib.loads(CODEX.decode()), "later": {"kept": True}}


def test_no_file_is_made_for_nothing(machine: Machine) -> None:
    machine.una("install", "codex", "--scope", "project")
    assert list(machine.home.rglob("*")) == []
    assert (machine.project / ".codex/hooks.json").exists()


def test_on_a_terminal_each_agent_that_is_here_is_asked_about(machine: Machine) -> None:
    for name in (".claude", ".codex"):
        (machine.home / name).mkdir()
    command = [sys.executable, "-m", "unabridged", "install"]
    parent, child = pty.openpty()
    environ = {**os.environ, **machine.environ, "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environ)
    os.close(child)
    said, answers = b"", [b"y\n", b"n\n"]
    asked = len(answers)
    with os.fdopen(parent, "r+b", buffering=0) as terminal:
        while piece := _piece(terminal):
            said += piece
            if said.count(b"[y/N] ") > asked - len(answers):
                terminal.write(answers.pop(0))
    assert process.wait(30) == 0
    assert b"una uninstall` takes each back" in said
    assert b"new      ~/.claude/skills/una/hooks/hooks.json" in said
    assert b"`una import` archives what they have written so far" in said
    assert b"Install into Claude Code?" in said
    assert b"Install into Codex?" in said
    assert (machine.home / ".claude/skills/una/hooks/hooks.json").exists()
    assert list((machine.home / ".codex").iterdir()) == []


def test_an_agent_is_named_by_its_command_too(machine: Machine) -> None:
    assert "Claude Code: installed" in machine.una("install", "claude").out
    assert "Claude Code: uninstalled" in machine.una("uninstall", "claude").out
    assert "there is no agent `claud`" in machine.una("install", "claud").err


def test_what_is_only_read_says_so(machine: Machine) -> None:
    done = machine.una("install", "aider")
    assert "aider takes nothing that could be installed" in done.err
    assert "`una import` archives what it wrote" in done.err


def test_on_a_terminal_the_trust_of_codex_is_asked_for_and_given(machine: Machine) -> None:
    (machine.home / ".codex").mkdir()
    for answer, rows in ((b"n\n", 0), (b"y\n", 7)):
        said, answers = b"", [b"y\n", answer]
        parent, child = pty.openpty()
        environ = {**os.environ, **machine.environ, "PATH": "/usr/bin:/bin"}
        command = [sys.executable, "-m", "unabridged", "install"]
        process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environ)
        os.close(child)
        with os.fdopen(parent, "r+b", buffering=0) as terminal:
            while piece := _piece(terminal):
                said += piece
                if said.count(b"[y/N] ") > 2 - len(answers):
                    terminal.write(answers.pop(0))
        assert process.wait(30) == 0
        assert b"Trust those of unabridged?" in said
        assert (machine.home / ".codex/config.toml").read_text().count("trusted_hash") == rows


def _piece(terminal: io.FileIO) -> bytes:
    try:
        return terminal.read(4096) or b""
    except OSError:  # Linux says EIO when the other end is closed
        return b""


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_named_and_not_read(machine: Machine, kind: str) -> None:
    path = machine.project / ".codex" / "hooks.json"
    path.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    error = machine.una("install", "codex", "--scope", "project", "--json").json["error"]
    assert (error["code"], error["details"]["path"]) == ("unsafe-path", str(path))


@pytest.mark.parametrize("there", [True, False])
def test_a_link_that_leads_out_of_a_project_is_not_followed(machine: Machine, there: bool) -> None:
    outside = machine.home / "mine.json"
    if there:
        outside.write_text("{}")
    (machine.project / ".cursor").mkdir()
    (machine.project / ".cursor" / "mcp.json").symlink_to(outside)
    before = machine.snapshot()
    error = machine.una("install", "cursor", "--scope", "project", "--json").json["error"]
    assert error["code"] == "unsafe-path"
    assert machine.snapshot() == before


def test_what_an_agent_writes_into_its_file_meanwhile_is_not_lost(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = machine.write(*AGENTS["claude-code"])
    real = applying._write

    def write(edit: Edit) -> None:
        if edit.path == str(path):
            path.write_bytes(b'{"since": 1}')
        real(edit)

    with monkeypatch.context() as patch:
        patch.setattr(applying, "_write", write)
        error = machine.una("install", "claude-code", "--json").json["error"]
    assert error["code"] == "would-overwrite"
    assert path.read_bytes() == b'{"since": 1}'
    assert [name for name in machine.snapshot() if "una" in Path(name).name] == []


def test_what_a_run_that_was_killed_had_begun_to_write_is_gone_with_the_next(machine: Machine) -> None:
    machine.write(*AGENTS["claude-code"])
    before = machine.snapshot()
    machine.una("install", "claude-code")
    for name in (".claude/.settings.json.4711.una", ".claude/skills/una/hooks/.hooks.json.4711.una"):
        machine.write(name, b"half")
    machine.una("uninstall", "claude-code")
    assert machine.snapshot() == before


def test_what_cannot_be_taken_back_is_left_to_the_next_run(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.write(*AGENTS["claude-code"])
    before, count, real = machine.snapshot(), iter(range(1 << 30)), applying._write

    def write(edit: Edit) -> None:
        if next(count) >= 5:
            raise OSError(28, "No space left on device")
        real(edit)

    with monkeypatch.context() as patch:
        patch.setattr(applying, "_write", write)
        assert machine.una("install", "claude-code", "--json").json["error"]["code"] == "disk-full"
    assert machine.una("uninstall", "claude-code").status == 0
    assert machine.snapshot() == before


# https://github.com/thedotmack/claude-mem/issues/2123, /1538 and /2097: a space in the user's name.
@pytest.mark.parametrize("name", ["a; b", "a`touch ran`", "$(touch ran)", "x\ny", "q'\"z", "a) b"])
def test_nothing_in_the_name_of_a_folder_is_run_and_all_of_it_goes_again(machine: Machine, name: str) -> None:
    machine.archive = machine.archive.with_name(name)
    machine.environ["UNABRIDGED_HOME"] = str(machine.archive)
    machine.write(*AGENTS["claude-code"])
    before = machine.snapshot()
    assert machine.una("install", "claude-code").status == 0
    assert machine.una("install", "claude-code", "--json").json["agents"][0]["files"] == []
    plugin = machine.home / ".claude/skills/una"
    for command in (plugin / "commands").glob("*.md"):
        # As the host takes them: what stands between an exclamation mark with a backtick and the next backtick.
        for part in command.read_text().split("!`")[1:]:
            line = part.partition("`")[0].replace(" status", " --version").split(" w")[0]
            subprocess.run(["/bin/sh", "-nc", line], check=True, cwd=machine.home)
            assert "$" not in line
    assert (plugin / "commands/status.md").exists() is (name in ("a; b", "q'\"z"))
    settings_file = machine.home / ".claude/settings.json"
    settings_file.write_bytes(settings_file.read_bytes().replace(b"opus", b"sonnet"))
    assert machine.una("uninstall", "claude-code").status == 0
    assert settings_file.read_bytes() == SETTINGS.replace(b"opus", b"sonnet")
    settings_file.write_bytes(SETTINGS)
    assert machine.snapshot() == before


@pytest.mark.parametrize(
    "line",
    [
        "tee /tmp/x | una window statusline",
        "mine;/usr/bin/una window statusline",
        "a && una window statusline",
    ],
)
def test_a_line_of_the_user_with_ours_in_it_is_the_users(machine: Machine, line: str) -> None:
    content = json.dumps({"statusLine": {"type": "command", "command": line}}).encode()
    path = machine.write(".claude/settings.json", content)
    machine.una("install", "claude-code")
    assert path.read_bytes() == content


def test_of_the_installations_of_several_archives_at_once_each_finds_the_files_whole(
    machine: Machine,
) -> None:
    path = machine.write(*AGENTS["claude-code"])
    homes = [str(machine.archive.with_name(f"archive {number}")) for number in range(5)]
    with ThreadPoolExecutor(5) as pool:
        done = list(pool.map(lambda home: machine.una("install", "claude-code", UNABRIDGED_HOME=home), homes))
    assert [one.status for one in done] == [0] * 5
    for home in homes:
        assert machine.una("uninstall", "claude-code", UNABRIDGED_HOME=home).status == 0
    assert path.read_bytes() == SETTINGS


@pytest.mark.parametrize(
    "content", [b"[]", b'{"files": []}', b'{"files": {"x": []}}', b"[" * 100_000, b"\xff", None]
)
def test_a_journal_that_says_anything_is_named(machine: Machine, content: bytes | None) -> None:
    machine.una("install", "cursor")
    (path,) = (machine.archive / "install").glob("*.json")
    path.unlink()
    path.mkdir() if content is None else path.write_bytes(content)
    assert machine.una("uninstall", "cursor", "--json").json["error"]["code"] == "corrupt"
    assert machine.una("install", "cursor", "--json").json["error"]["code"] == "corrupt"


def test_what_only_looks_like_ours_stays(machine: Machine) -> None:
    theirs = "python3 -I -S -E /opt/other/hook.py --codex"
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": theirs}]}]}}
    path = machine.write(".codex/hooks.json", json.dumps(hooks).encode())
    server = {"command": "/usr/bin/docker", "args": ["run", "unabridged", "mcp"]}
    settings_file = machine.write(
        ".cursor/mcp.json", json.dumps({"mcpServers": {"unabridged": server}}).encode()
    )
    before = settings_file.read_bytes()
    machine.una("install", "codex", "cursor")
    assert theirs in path.read_text()
    assert settings_file.read_bytes() == before
    for journal in (machine.archive / "install").glob("*.json"):
        journal.unlink()
    machine.una("uninstall", "codex", "cursor")
    assert json.loads(path.read_text()) == hooks
    assert settings_file.read_bytes() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write another user's file as theirs")
def test_a_file_stays_its_owners_when_root_installs(machine: Machine) -> None:
    path = machine.write(*AGENTS["claude-code"])
    os.chown(path, 12_345, 23_456)
    for verb in ("install", "uninstall"):
        assert machine.una(verb, "claude-code").status == 0
        assert (path.stat().st_uid, path.stat().st_gid) == (12_345, 23_456)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be taken for another user")
def test_root_writes_nothing_into_the_home_of_who_asked_for_it(machine: Machine) -> None:
    os.chown(machine.home, 12_345, 12_345)
    done = machine.una("install", "claude-code", SUDO_UID="12345")
    assert done.status == 5
    assert "without `sudo`" in done.err
    assert list(machine.home.iterdir()) == []
    assert (
        machine.una("install", "claude-code").status == 0
    )  # as in a container, whose user nobody was before


def test_a_dry_run_of_an_uninstallation_makes_nothing(machine: Machine) -> None:
    assert machine.una("uninstall", "claude-code", "--dry-run").status == 0
    assert not machine.archive.exists()


@pytest.mark.parametrize(
    ("agent", "name", "form", "refused"),
    [
        ("claude-code", "${HOME}", (), True),
        ("claude-code", "$HOME {env:HOME} %s", (), False),
        ("claude-code", "${CLAUDE_PLUGIN_ROOT}", ("--mcp-only",), True),
        ("codex", "${HOME} {env:HOME}", (), False),
        ("opencode", "${HOME} {env:HOME}", (), False),
        ("opencode", "${HOME}", ("--mcp-only",), False),
        ("opencode", "{file:x}", ("--mcp-only",), True),
        ("pi", "${HOME}", (), False),
        ("gemini", "$HOME", (), True),
        ("cursor", "${env:HOME}", (), True),
        ("cline", "${env:HOME}", (), True),
    ],
)
def test_a_path_that_an_agent_would_put_a_variable_into_is_refused(
    machine: Machine, agent: str, name: str, form: tuple[str, ...], refused: bool
) -> None:
    archive = str(machine.archive.with_name(name))
    done = machine.una("install", agent, *form, UNABRIDGED_HOME=archive)
    assert done.status == (2 if refused else 0)
    assert ("for a variable" in done.err) is refused
    assert bool(list(machine.home.iterdir())) is not refused


def test_a_file_of_servers_that_its_user_has_put_elsewhere_gets_the_entry(machine: Machine) -> None:
    path = machine.write("elsewhere/servers.json", b'{"mcpServers": {}}\n')
    machine.una("install", "cline", CLINE_MCP_SETTINGS_PATH=str(path))
    assert "unabridged" in json.loads(path.read_bytes())["mcpServers"]
    assert not (machine.home / ".cline").exists()
    machine.una("uninstall", "cline", CLINE_MCP_SETTINGS_PATH=str(path))
    assert path.read_bytes() == b'{"mcpServers": {}}\n'
