"""The daemon is shown, started, stopped, replaced, and its log is printed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.double import HOSTILE, Daemon, Outcome, una
from unabridged.daemon import lock, starting
from unabridged.daemon.logs import Log
from unabridged.errors import DaemonUnavailable

ALIVE = {"ok": True, "pid": 4711, "version": "0.1.0"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "run").mkdir(mode=0o700, parents=True)
    return home


def una_daemon(home: Path, *words: str, daemon: Daemon | None = None) -> Outcome:
    return una("daemon", *words, daemon=daemon, environ={"UNABRIDGED_HOME": str(home)})


def owned(home: Path, pid: int = 4711) -> lock.Ownership:
    owner = lock.acquire(str(home / "run" / "daemon.lock"))
    owner.describe(pid=pid)
    return owner


def releasing(owner: lock.Ownership) -> Daemon:
    def shutdown(_: Mapping[str, Any]) -> Mapping[str, Any]:
        owner.release()
        return ALIVE

    return Daemon(
        shutdown=shutdown, ping=ALIVE, daemon__status={"ok": True, "daemon": {"pid": 4711}, "slow": []}
    )


def test_status_of_no_daemon_starts_none(home: Path) -> None:
    done = una_daemon(home, "--json")
    assert (done.status, done.asked) == (0, [])
    assert done.json == {"ok": True, "running": False, "home": str(home)}


def test_status_tells_about_the_process(home: Path) -> None:
    owner = owned(home)
    done = una_daemon(home, "status", "--json", daemon=releasing(owner))
    assert done.json == {"ok": True, "running": True, "daemon": {"pid": 4711}, "slow": []}
    assert "pid  4711" in una_daemon(home, "status", daemon=releasing(owner)).out
    owner.release()


def test_start_tells_whether_it_ran_already(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []
    monkeypatch.setattr(starting, "start", lambda place, connected, explicit: begun.append(explicit))
    done = una_daemon(home, "start", "--json", daemon=Daemon(ping=ALIVE))
    assert (done.json["started"], done.json["pid"], begun) == (True, 4711, [True])
    owner = owned(home)
    assert una_daemon(home, "start", "--json", daemon=Daemon(ping=ALIVE)).json["started"] is False
    owner.release()


def test_stop_waits_until_the_lock_is_free(home: Path) -> None:
    daemon = releasing(owned(home))
    done = una_daemon(home, "stop", "--json", daemon=daemon)
    assert done.json == {"ok": True, "running": False, "stopped": 4711}
    assert daemon.asked == [("shutdown", {"reason": "una daemon stop"})]
    assert daemon.closed
    assert una_daemon(home, "stop").out == "daemon: it was not running\n"


def test_restart_stops_the_old_one_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_start", lambda *_, **__: None)
    daemon = releasing(owned(home))
    done = una_daemon(home, "restart", "--json", daemon=daemon)
    assert [name for name, _ in daemon.asked] == ["shutdown", "ping"]
    assert (done.json["stopped"], done.json["pid"]) == (4711, 4711)


def test_a_daemon_that_does_not_end_is_an_error_with_a_way_out(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "await_end", lambda place, seconds, pid: False)
    owner = owned(home)
    done = una_daemon(home, "stop", daemon=Daemon(shutdown=ALIVE))
    owner.release()
    assert done.status == 9
    assert "--force" in done.err


@pytest.fixture
def hanging(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that owns the home, answers nobody and ignores a polite request to end."""
    code = (
        "import signal, sys, time; from unabridged.daemon import lock; import os\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "lock.acquire(sys.argv[1]).describe(pid=os.getpid()); print('ready', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(home / "run" / "daemon.lock"), starting.MODULE]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_force_ends_a_daemon_that_hangs(
    home: Path, hanging: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STOP_SECONDS", "FORCE_SECONDS"):
        monkeypatch.setattr(starting, name, 0.2)
    waits = starting.await_end
    monkeypatch.setattr(
        starting, "await_end", lambda place, seconds, pid: waits(place, min(seconds, 0.2), pid)
    )
    silent = Daemon(shutdown=DaemonUnavailable())
    assert una_daemon(home, "stop", daemon=silent).status == 9
    assert hanging.poll() is None
    done = una_daemon(home, "stop", "--force", "--json", daemon=silent)
    assert done.json["stopped"] == hanging.pid
    assert hanging.wait(10) == -9


def test_the_log_is_printed_as_lines_or_json(home: Path) -> None:
    log = Log(str(home / "logs"))
    for number in range(5):
        log.info("started", number=number, text=HOSTILE)
    log.close()
    done = una_daemon(home, "logs", "-n", "2", "--json")
    assert [(record["event"], record["number"]) for record in done.json] == [("started", 3), ("started", 4)]
    assert una_daemon(home, "logs", "-n", "1", "--jsonl").lines[0]["number"] == 4
    assert una_daemon(home, "logs", "-n", "1").out.split()[1:4] == ["info", "started", "number=4"]
    (home / "logs" / "daemon.log").write_text("torn {\n" + json.dumps([1]) + "\n")
    assert una_daemon(home, "logs", "--json").json == [{"text": "torn {"}, {"text": "[1]"}]


def test_no_log_is_an_empty_list(home: Path) -> None:
    assert una_daemon(home, "logs", "--json").json == []
