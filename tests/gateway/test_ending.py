"""A listener that is told to end, at whatever moment, ends with status 0, says nothing, and leaves no address."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon.living import PATIENCE, Home, alive, kill
from tests.gateway.test_process import environment

# The command as ever, but for a signal that comes when a function is entered, or left.
PROGRAM = """
import importlib, os, sys
from unabridged.app.main import main

place, name, when, number = {moment!r}
owner = importlib.import_module(place)
for part in name.split(".")[:-1]:
    owner = getattr(owner, part)
last = name.split(".")[-1]
found = getattr(owner, last)


def patched(*given, **named):
    if when == "entered":
        os.kill(os.getpid(), number)
    try:
        return found(*given, **named)
    finally:
        if when == "left":
            os.kill(os.getpid(), number)


setattr(owner, last, patched)
sys.argv = ["una", *{words!r}]
sys.exit(main())
"""

GATEWAY = ["gateway", "--until-input-ends"]
HTTP = ["mcp", "--http"]
STARTING = [
    ("unabridged.daemon.loopback", "listen", "left"),
    ("unabridged.daemon.portfile", "write", "left"),
    ("asyncio", "Runner.__enter__", "left"),
    ("asyncio", "Runner.run", "entered"),
    ("uvicorn", "Server.startup", "entered"),
]
ENDING = [
    ("asyncio", "Runner.run", "left"),
    ("asyncio", "Runner.__exit__", "left"),
    ("unabridged.daemon.portfile", "remove", "entered"),
    ("unabridged.daemon.portfile", "remove", "left"),
]


def check(home: Home, words: list[str], moment: tuple[str, str, str], number: int, folder: Path) -> None:
    file = folder / "address"
    program = PROGRAM.format(moment=(*moment, number), words=[*words, "--port-file", str(file)])
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="",
        capture_output=True,
        text=True,
        env=environment(home),
        timeout=PATIENCE,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if not line.startswith('{"time"')]  # MCP's own journal
    assert (done.returncode, said) == (0, [])
    assert list(folder.glob("address*")) == []


@pytest.mark.parametrize("number", [15, 2])
@pytest.mark.parametrize("moment", STARTING, ids="-".join)
def test_a_gateway_that_is_told_to_end_while_it_starts(
    home: Home, tmp_path: Path, moment: tuple[str, str, str], number: int
) -> None:
    check(home, GATEWAY, moment, number, tmp_path)


@pytest.mark.parametrize("moment", ENDING, ids="-".join)
def test_a_gateway_that_is_told_to_end_while_it_ends(
    home: Home, tmp_path: Path, moment: tuple[str, str, str]
) -> None:
    check(home, GATEWAY, moment, 15, tmp_path)


@pytest.mark.parametrize("moment", STARTING, ids="-".join)
def test_a_server_of_mcp_that_is_told_to_end_while_it_starts(
    home: Home, tmp_path: Path, moment: tuple[str, str, str]
) -> None:
    check(home, HTTP, moment, 15, tmp_path)


RUN = """
import os, subprocess, sys
from unabridged.app.main import main

found = subprocess.Popen.__init__


def patched(self, words, **named):
    found(self, words, **named)
    if words[0] == "sleep":
        print(self.pid, flush=True)
        os.kill(os.getpid(), 15)


subprocess.Popen.__init__ = patched
sys.argv = ["una", "run", "--", "sleep", "600"]
sys.exit(main())
"""


def ran(home: Home, *command: str) -> subprocess.CompletedProcess[str]:
    """A command that has ended by itself, without a terminal."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(home),
        timeout=PATIENCE,
        check=False,
    )


def test_a_client_that_has_just_been_started_gets_the_signal_that_una_run_gets(home: Home) -> None:
    done = ran(home, sys.executable, "-c", RUN)
    client = int(done.stdout)
    left = alive(client)
    kill(client)
    assert (done.returncode, left, done.stderr) == (128 + 15, False, "")


def test_a_client_ignores_what_una_run_was_told_to_ignore(home: Home) -> None:
    ignored = "import signal; print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)"
    done = ran(home, "nohup", sys.executable, "-m", "unabridged", "run", "--", sys.executable, "-c", ignored)
    assert (done.returncode, done.stdout) == (0, "True\n")
