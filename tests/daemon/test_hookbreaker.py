"""What keeps hooks from paying for a daemon that does not come: written by them, told by the daemon."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home, until
from tests.support.hooking import event, surroundings, tell
from unabridged import hookclient
from unabridged.daemon import examine, hookbreaker, lock
from unabridged.errors import StoreTooNew


def finding(home: Home) -> Any:
    """Return what an examination of the files says of hooks."""
    return next(
        item for item in examine.files(home.layout, fix=False, running=False) if item.check == "hooks"
    )


@pytest.fixture
def run(home: Home) -> Path:
    folder = Path(home.layout.run)
    folder.mkdir(mode=0o700)
    return folder


def test_hooks_and_the_daemon_mean_the_same_files_and_times(home: Home) -> None:
    place = hookclient.place_of({b"UNABRIDGED_HOME": os.fsencode(home.folder)})
    names = (hookbreaker.STARTS, hookbreaker.SILENCE)
    assert [os.fsencode(Path(home.layout.run) / name) for name, _ in names] == [
        place.starts,
        place.silence,
    ]
    assert [seconds for _, seconds in names] == [hookclient.START_WINDOW, hookclient.SILENT_WINDOW]
    assert os.fsencode(Path(home.layout.run) / hookbreaker.PYTHON) == place.python


@pytest.mark.parametrize("count", [1, 2, 7, 200])
def test_what_is_told_is_what_hooks_heed(home: Home, run: Path, count: int) -> None:
    path = run / "hook.starts"
    path.write_bytes(b"x" * count)
    until_then = hookbreaker.facts(home.layout)["starts"]["until"]
    for moment, held in ((until_then - 5, True), (until_then + 5, False)):
        os.utime(path, (time.time() - (moment - path.stat().st_mtime),) * 2)
        assert hookclient.broken(os.fsencode(path), hookclient.START_WINDOW) is held
        os.utime(path)


def test_a_clock_that_was_set_back_holds_nobody_back(home: Home, run: Path) -> None:
    path = run / "hook.starts"
    path.write_bytes(b"x" * 9)
    os.utime(path, (time.time() + 86_400,) * 2)
    assert not hookclient.broken(os.fsencode(path), hookclient.START_WINDOW)
    found = hookbreaker.facts(home.layout)
    assert (found["open"], found["starts"]) == (False, {"failures": 9, "until": 0})


def test_one_start_is_no_fault_and_several_in_a_row_are(home: Home, run: Path) -> None:
    assert finding(home).ok
    (run / "hook.starts").write_bytes(b"x")
    assert finding(home).ok
    (run / "hook.starts").write_bytes(b"xxx")
    assert "3 starts" in finding(home).detail
    (run / "hook.starts").unlink()
    (run / "hook.silence").write_bytes(b"xx")
    assert "2 hooks" in finding(home).detail


def test_a_daemon_that_cannot_start_is_told_of_and_not_started_again(home: Home, tmp_path: Path) -> None:
    store = Path(home.layout.store)
    store.mkdir(mode=0o700)
    (store / "FORMAT").write_text("a format of the year 3000\n")
    tell(home.folder, event("Stop", tmp_path / "t.jsonl"))
    fault = Path(home.layout.run, "hook.fault")
    until(fault.exists)
    until(lambda: bool(hookbreaker.facts(home.layout)["fault"]))
    found = finding(home)
    assert not found.ok
    assert "did not start" in found.detail
    before = Path(home.layout.run, "hook.starts").stat()
    tell(home.folder, event("Stop", tmp_path / "t.jsonl"))
    assert Path(home.layout.run, "hook.starts").stat().st_mtime_ns == before.st_mtime_ns
    assert not lock.held(home.layout.lock)


def test_a_daemon_that_is_ready_lets_hooks_through_and_says_how_it_is_started(home: Home, run: Path) -> None:
    for name in ("hook.starts", "hook.silence", "hook.fault"):
        (run / name).write_bytes(b"xxxx")
    home.connect()
    until(lambda: not list(run.glob("hook.*")))
    assert (run / "python").read_text() == sys.executable
    assert hookbreaker.facts(home.layout)["fault"] == {}


def test_a_fault_that_cannot_be_written_harms_nothing(home: Home) -> None:
    hookbreaker.note(home.layout, StoreTooNew())
    assert hookbreaker.facts(home.layout)["fault"] == {}


def test_a_hook_outside_of_the_package_starts_what_the_last_daemon_ran_with(
    home: Home, tmp_path: Path
) -> None:
    client = home.connect()
    client.call("shutdown")
    until(lambda: not lock.held(home.layout.lock))
    for name in ("hook.py", "hookclient.py"):
        (tmp_path / name).write_bytes(Path(hookclient.__file__).with_name(name).read_bytes())
    line = [sys.executable, "-I", "-S", "-E", str(tmp_path / "hook.py"), "claude-code"]
    said = b'{"session_id":"12345678","hook_event_name":"Stop","transcript_path":"/gone.jsonl"}'
    subprocess.run(line, input=said, env=surroundings(home.folder), check=True)
    until(lambda: lock.held(home.layout.lock))
    until(lambda: Path(home.layout.socket).exists())
    home.connect()
