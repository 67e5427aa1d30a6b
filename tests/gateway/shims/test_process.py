"""`una window serve` as a host's extension starts it: lines in, lines out, until its input ends."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.daemon.living import Home, kill, until
from tests.support.windowed import environment
from tests.window.scripts import Script, Step, Turn, pi

TURNS = (Turn(f"question {number} " + "word " * 100, (Step("done"),)) for number in range(12))
MANY = pi(Script(tuple(TURNS)))[-1]
ENDS_WITHIN = 60  # seconds


class Serve:
    """The process."""

    def __init__(self, home: Home, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "unabridged", "window", "serve"],
            cwd=cwd,
            env={**environment(home), "HOME": str(cwd)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def ask(self, op: str, **rest: Any) -> dict[str, Any]:
        asked = {"id": 1, "op": op, "host": "pi", "session": "s-1", "cwd": "/", "model": "m/m", **rest}
        self.write(json.dumps(asked).encode() + b"\n")
        return self.said()

    def said(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def end(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(ENDS_WITHIN)
        self.process.stdout.close()
        return status


@contextmanager
def serving(home: Home, cwd: Path) -> Iterator[Serve]:
    made = Serve(home, cwd)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
            made.process.wait()


def planned(serve: Serve) -> dict[str, Any]:
    """A plan once the archive is there; on a loaded machine a daemon starts slowly."""
    found: dict[str, Any] = {}

    def cut() -> bool:
        found.update({"messages": None, "fault": ""})
        found.update(serve.ask("plan", messages=MANY))
        return found["messages"] is not None

    until(cut, "nothing was left out")
    return found


def test_messages_are_archived_and_left_out_and_the_process_ends_with_its_input(
    home: Home, tmp_path: Path
) -> None:
    with home.connect() as client, serving(home, tmp_path) as serve:
        found = planned(serve)
        assert len(found["messages"]) < len(MANY)
        assert "una " in found["status"]
        assert serve.end() == 0
        (window,) = client.call("windows", {"scope": "all"})["windows"]
        assert (window["host"], window["host_session"]) == ("pi", "s-1")


def test_a_killed_daemon_costs_no_cut(home: Home, tmp_path: Path) -> None:
    with home.connect(), serving(home, tmp_path) as serve:
        before = planned(serve)["messages"]
        kill(home.pid)
        assert serve.ask("plan", messages=MANY)["messages"] == before
        assert serve.end() == 0


def test_another_process_goes_on_with_the_same_window(home: Home, tmp_path: Path) -> None:
    with home.connect():
        with serving(home, tmp_path) as serve:
            before = planned(serve)["messages"]
            assert serve.end() == 0
        with serving(home, tmp_path) as serve:
            assert planned(serve)["messages"] == before


def test_what_is_no_request_is_passed_over_and_an_unknown_one_is_answered(home: Home, tmp_path: Path) -> None:
    with home.connect(), serving(home, tmp_path) as serve:
        serve.write(b"nothing\n[]\n\n\xff\xfe\n")
        assert serve.ask("of-tomorrow")["fault"] == "not-understood"
        assert serve.ask("plan", host="unheard-of", messages=[])["fault"] == "not-understood"
        assert serve.ask("plan", session="", messages=[])["fault"] == "not-understood"
        assert serve.ask("plan", messages={"not": "a list"})["id"] == 1
        assert serve.end() == 0


def test_a_host_that_is_killed_takes_the_process_along(home: Home, tmp_path: Path) -> None:
    program = (
        "import subprocess, sys, time\n"
        "made = subprocess.Popen([sys.executable, '-m', 'unabridged', 'window', 'serve'], stdin=subprocess.PIPE)\n"
        "print(made.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment(home),
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        os.kill(host.pid, signal.SIGKILL)
    until(lambda: not _runs(pid), "the process outlived its host")


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_who_tries_it_without_a_host_sees_it_end(home: Home, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text('{"id": 7, "op": "of-tomorrow"}\n')
    for source, said in ((Path(os.devnull), b""), (lines, b'{"id":7,"fault":"not-understood"}\n')):
        with home.connect(), source.open("rb") as given:
            command = [sys.executable, "-m", "unabridged", "window", "serve"]
            done = subprocess.run(
                command,
                cwd=tmp_path,
                env={**environment(home), "HOME": str(tmp_path)},
                stdin=given,
                capture_output=True,
                timeout=ENDS_WITHIN,
                check=False,
            )
        assert (done.returncode, done.stdout) == (0, said)


def test_who_tries_it_in_a_terminal_can_end_it(home: Home, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "unabridged", "window", "serve"]
    with home.connect():
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env={**environment(home), "HOME": str(tmp_path)},
            stdin=theirs,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            assert process.stdout is not None
            os.write(ours, b'{"id": 7, "op": "of-tomorrow"}\n')
            assert select.select([process.stdout], [], [], ENDS_WITHIN)[0], "it does not answer"
            assert process.stdout.readline() == b'{"id":7,"fault":"not-understood"}\n'
            process.terminate()
            assert process.wait(ENDS_WITHIN) == 0
        finally:
            process.kill()
            process.communicate()
            os.close(ours)
            os.close(theirs)
