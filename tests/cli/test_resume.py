"""una resume, and the names that a session goes by."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.double import Daemon, una
from unabridged.cli import reading
from unabridged.cli.resume import words
from unabridged.errors import NotFound, Refused
from unabridged.retrieve import locator

SESSION: dict[str, Any] = {
    "session": "3f2a9c1e00ab",
    "host": "claude-code",
    "host_session": "7f0d2c54-3a61",
    "parent": "",
    "relation": "",
    "cwd": "/srv/a b",
    "origins": [],
}


def told(*options: str, **facts: Any) -> Any:
    daemon = Daemon(show={"session": {**SESSION, **facts}, "events": [], "next": ""})
    return una("resume", "3f2a", *options, daemon=daemon)


@pytest.mark.parametrize(
    ("host", "line"),
    [
        ("claude-code", "claude --resume 7f0d2c54-3a61"),
        ("codex", "codex resume 7f0d2c54-3a61"),
        ("opencode", "opencode --session 7f0d2c54-3a61"),
        ("pi", "pi --session 7f0d2c54-3a61"),
    ],
)
def test_the_command_is_written_where_nothing_can_be_started(host: str, line: str) -> None:
    assert told(host=host).out == f"cd '/srv/a b' && {line}\n"
    assert told("--json", host=host).json == {"command": line.split(), "folder": "/srv/a b"}


def test_a_name_cannot_run_anything_else() -> None:
    done = told("--print", host_session="x; rm -rf ~", cwd="/srv/$(id)")
    assert done.out == "cd '/srv/$(id)' && claude --resume 'x; rm -rf ~'\n"
    for name in ("--dangerously", "", "a\nb"):
        with pytest.raises(Refused):
            words({**SESSION, "host_session": name})


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"relation": "subagent", "parent": "0123456789ab"}, "`una resume 01234567` opens its parent"),
        ({"host": "aider"}, "no command opens a session of aider again"),
    ],
)
def test_what_cannot_be_opened_says_what_can(facts: dict[str, Any], said: str) -> None:
    done = told(**facts)
    assert done.status != 0
    assert said in done.err


def on_a_terminal(folder: Path, first: str = "#!/bin/sh", path: str = "", **facts: Any) -> str:
    """What is shown by a process that opens the session, with a program `claude` that tells how it was started."""
    program = folder / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f'{first}\necho "started in $PWD with $*"\n')
    program.chmod(0o755)
    code = (
        "import sys\n"
        "from tests.cli.double import Daemon\n"
        "from unabridged.cli import entry\n"
        "from unabridged.cli.screen import standard\n"
        f"daemon = Daemon(show={{'session': { ({**SESSION, **facts})!r}, 'events': [], 'next': ''}})\n"
        f"environ = {{'PATH': {path or str(program.parent)!r}}}\n"
        "sys.exit(entry.run(['resume', '3f2a'], standard(environ), environ, lambda start: daemon))\n"
    )
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(child)
    said = b""
    with os.fdopen(parent, "rb", buffering=0) as terminal:
        while True:
            try:
                piece = terminal.read(4096)
            except OSError:  # Linux says EIO when the other end is closed
                break
            if not piece:
                break
            said += piece
    process.wait(30)
    return " ".join(said.decode().split())


def test_on_a_terminal_the_agent_is_started_in_the_sessions_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    said = on_a_terminal(tmp_path, cwd=str(folder), origins=[str(tmp_path / "gone"), str(tmp_path / "bin")])
    assert said == f"started in {folder} with --resume 7f0d2c54-3a61"


def test_the_program_is_the_one_that_was_found_wherever_the_session_was(tmp_path: Path) -> None:
    other = tmp_path / "a" / "bin" / "claude"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\necho another\n")
    other.chmod(0o755)
    said = on_a_terminal(tmp_path, path="bin", cwd=str(tmp_path / "a"))
    assert said == f"started in {tmp_path / 'a'} with --resume 7f0d2c54-3a61"


def test_a_program_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    said = on_a_terminal(tmp_path, first="#!/nowhere/sh", cwd=str(tmp_path))
    assert "bin/claude cannot be run: No such file" in said


def test_an_agent_that_would_not_find_the_session_is_not_started(tmp_path: Path) -> None:
    said = on_a_terminal(tmp_path, cwd=str(tmp_path), origins=["/nowhere/x.jsonl"])
    assert "started" not in said
    assert "una restore 3f2a9c1e --to /nowhere/x.jsonl" in said


@pytest.mark.parametrize("verb", [("show",), ("resume",), ("export",)])
def test_a_session_is_named_by_a_passage_of_it(verb: tuple[str, ...]) -> None:
    page = {"session": {**SESSION, "title": "", "events": 0, "started": ""}, "events": [], "next": ""}
    daemon = Daemon(recall={"session": "3f2a9c1e00ab"}, show=page)
    assert una(*verb, "w6165myh1808e099", daemon=daemon).status == 0
    assert daemon.asked[0][0] == "recall"
    assert daemon.asked[1][1]["target"] == "3f2a9c1e00ab"


def test_a_name_that_only_looks_like_a_passage_is_taken_as_it_is() -> None:
    assert reading.PASSAGES == (locator.HANDLE_PREFIX, locator.PREFIX)
    assert reading.session_of(Daemon(recall=NotFound("no")), "workshop") == "workshop"
    assert reading.session_of(Daemon(), "3f2a9c1e") == "3f2a9c1e"
