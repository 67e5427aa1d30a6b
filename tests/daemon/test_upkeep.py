"""Small parts of the daemon: watchdog, maintenance, idle turns, disk guard, keys, checks, back-off, channel."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.rig import PATIENCE
from unabridged.daemon import channel, disk, examine, keyring, lock, paths
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.disk import DiskGuard
from unabridged.daemon.idleturns import IdleTurns
from unabridged.daemon.logs import Log
from unabridged.daemon.maintenance import Maintenance
from unabridged.daemon.messages import Finished
from unabridged.daemon.watchdog import Watchdog
from unabridged.daemon.workers import FIRST_DELAY, HEALTHY_SECONDS, LAST_DELAY, Backoff
from unabridged.errors import Corrupt, DiskLow, ProtocolError, UnsafePath
from unabridged.hosts.contract import Candidate
from unabridged.retrieve.locator import Place
from unabridged.schema.ids import NO_SESSION, Ordinal, origin_id, project_id
from unabridged.schema.records import Origin


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    made = Log(str(tmp_path / "logs"))
    yield made
    made.close()


def records(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "logs" / "daemon.log").read_text().splitlines()]


def wait_for(condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


# --- watchdog ---


def test_a_loop_that_stands_still_is_reported_once_with_its_place(tmp_path: Path, log: Log) -> None:
    asked: list[Any] = []
    dog = Watchdog(asked.append, log, beat=0.001, stall=0.01)
    try:
        wait_for(lambda: dog.stalls == 1)
        asked[-1]()
        wait_for(lambda: dog.stalls == 2)
    finally:
        dog.close()
    stalls = [record for record in records(tmp_path) if record["event"] == "loop-stalled"]
    assert len(stalls) == 1, "two stalls within a minute are one report"
    assert any("test_upkeep.py" in place for place in stalls[0]["places"])


def test_a_loop_that_turns_is_left_alone(tmp_path: Path, log: Log) -> None:
    turns = threading.Semaphore(0)

    def wake(answer: Any) -> None:
        answer()
        turns.release()

    dog = Watchdog(wake, log, beat=0.001, stall=PATIENCE)
    try:
        assert all(turns.acquire(timeout=PATIENCE) for _ in range(5))
    finally:
        dog.close()
    assert dog.stalls == 0


# --- maintenance ---


def test_one_failing_task_does_not_keep_the_others_from_running(tmp_path: Path, log: Log) -> None:
    ran: list[str] = []

    def fail() -> None:
        raise ValueError("the content of something")

    upkeep = Maintenance((("bad", fail), ("good", lambda: ran.append("good"))), log, period=0.001)
    try:
        wait_for(lambda: upkeep.ticks >= 3)
    finally:
        upkeep.close(PATIENCE)
    assert len(ran) >= 3
    assert {(record["event"], record["task"]) for record in records(tmp_path)} == {
        ("maintenance-failed", "bad")
    }
    assert "content" not in (tmp_path / "logs" / "daemon.log").read_text()


# --- idle turns ---


def origin(name: str, kind: str = "file") -> Origin:
    return Origin(project_id("/p"), origin_id("toy", name), "toy", name, kind, NO_SESSION)


def test_an_open_turn_comes_due_once_and_again_when_it_is_still_open() -> None:
    now = [0.0]
    idle = IdleTurns(10.0, lambda: now[0])
    candidate = Candidate("/a", "file")
    idle.seen(origin("/a"), candidate, Finished("read", [], open=True))
    idle.seen(origin("/closed"), Candidate("/closed", "file"), Finished("read", []))
    assert (len(idle), idle.due()) == (1, [])
    now[0] = 10.0
    assert idle.due() == [("toy", candidate)]
    assert idle.due() == []
    idle.seen(origin("/a"), candidate, Finished("read", [], open=True))
    now[0] = 15.0
    idle.seen(origin("/a"), candidate, Finished("unchanged", []))
    now[0] = 20.0
    assert idle.due() == [("toy", candidate)], "a look that found nothing new does not put the time off"
    idle.seen(origin("/a"), candidate, Finished("read", [], open=True))
    idle.seen(origin("/a"), candidate, Finished("read", []))
    assert len(idle) == 0


# --- disk ---


def test_admissions_are_refused_below_the_limit_and_taken_again_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [1_000]
    monkeypatch.setattr(disk, "FRESH_SECONDS", -1.0)
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result((1, 1, 0, 0, free[0], 0, 0, 0, 0, 0)))
    guard = DiskGuard(str(tmp_path), 500)
    guard.admit()
    free[0] = 499
    with pytest.raises(DiskLow) as caught:
        guard.admit()
    assert (caught.value.retryable, caught.value.details) == (True, {"free": 499, "limit": 500})
    assert guard.facts() == {"free_bytes": 499, "limit_bytes": 500, "low": True, "full": True}
    free[0] = 500
    guard.admit()


def test_a_full_disk_is_told_although_no_limit_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [disk.FULL_BYTES - 1]
    monkeypatch.setattr(disk, "FRESH_SECONDS", -1.0)
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result((1, 1, 0, 0, free[0], 0, 0, 0, 0, 0)))
    guard = DiskGuard(str(tmp_path), 0)
    assert (guard.facts()["low"], guard.facts()["full"]) == (False, True)
    free[0] += 1
    assert not guard.facts()["full"]


# --- keys ---


PLACE = Place(project_id("/p"), Ordinal(1), 0, 5)


def test_keys_are_made_once_and_stay(tmp_path: Path) -> None:
    first = keyring.locators(str(tmp_path / "keys"))
    again = keyring.locators(str(tmp_path / "keys"))
    assert again.verify(first.sign(PLACE)) == PLACE
    assert keyring.locators(str(tmp_path / "other")).verify(first.sign(PLACE)) is None
    assert stat.S_IMODE((tmp_path / "keys" / keyring.NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"keys": {}}', '{"keys": {"1": "00"}}', '{"keys": {"x": "00"}}']
)
def test_a_damaged_key_file_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    keyring.locators(str(tmp_path / "keys"))
    path = tmp_path / "keys" / keyring.NAME
    path.write_text(text)
    with pytest.raises(Corrupt):
        keyring.locators(str(tmp_path / "keys"))
    assert path.read_text() == text


def test_keys_that_others_could_read_or_replace_are_refused(tmp_path: Path) -> None:
    keyring.locators(str(tmp_path / "keys"))
    (tmp_path / "keys").chmod(0o755)
    with pytest.raises(UnsafePath):
        keyring.locators(str(tmp_path / "keys"))


# --- checks ---


@pytest.fixture
def place(tmp_path: Path) -> paths.Layout:
    made = paths.layout({"UNABRIDGED_HOME": str(tmp_path / "h")})
    for folder in (made.run, made.store, made.index, made.keys):
        Path(folder).mkdir(mode=0o700, parents=True)
    return made


def wrong(place: paths.Layout, *, fix: bool = False) -> dict[str, bool]:
    return {
        item.check: item.fixed
        for item in examine.files(place, fix, running=False)
        if not item.ok or item.fixed
    }


def test_a_sound_home_has_nothing_wrong(place: paths.Layout, tmp_path: Path) -> None:
    assert wrong(place) == {}
    assert wrong(paths.layout({"UNABRIDGED_HOME": str(tmp_path / "none")})) == {}


def test_folders_that_others_can_enter_are_found_and_closed(place: paths.Layout) -> None:
    Path(place.keys).chmod(0o755)
    assert wrong(place) == {"key folder": False}
    assert wrong(place, fix=True) == {"key folder": True}
    assert wrong(place) == {}


def test_a_socket_that_nobody_listens_at_is_found_and_removed(place: paths.Layout) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(place.socket)
    left.close()
    Path(place.socket).chmod(0o600)
    assert wrong(place) == {"socket": False}
    held = lock.acquire(place.lock)
    assert wrong(place) == {}, "its owner is there"
    held.release()
    assert wrong(place, fix=True) == {"socket": True}
    assert not Path(place.socket).exists()


def test_what_is_not_ours_to_mend_is_left_alone(place: paths.Layout, tmp_path: Path) -> None:
    Path(place.keys).rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    Path(place.keys).symlink_to(tmp_path / "elsewhere")
    Path(place.socket).write_text("something")
    assert wrong(place, fix=True) == {"key folder": False, "socket": False}
    assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) == 0o755
    assert Path(place.socket).read_text() == "something"


# --- workers ---


def test_a_worker_that_keeps_dying_is_started_ever_more_slowly_up_to_a_bound() -> None:
    backoff = Backoff(lambda: 1.0)
    delays = [backoff.next(0.0) for _ in range(12)]
    assert delays[:4] == [0.0, FIRST_DELAY, 2 * FIRST_DELAY, 4 * FIRST_DELAY]
    assert delays[-1] == LAST_DELAY
    assert backoff.next(HEALTHY_SECONDS) == 0.0
    assert Backoff(lambda: 0.0).next(0.0) == 0.0


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel, socket.socket]]:
    one, two = socket.socketpair()
    yield Channel(one), Channel(two), one
    for end in (one, two):
        end.close()


def test_messages_of_every_size_arrive_whole_and_in_order(
    ends: tuple[Channel, Channel, socket.socket],
) -> None:
    one, two, _ = ends
    sent = [b"", b"a", b"b" * 70_000, b"c" * 3_000_000, b"d"]
    sender = threading.Thread(target=lambda: [one.send(data) for data in sent])
    sender.start()
    assert [bytes(two.receive()) for _ in sent] == sent
    sender.join()


def test_a_channel_tells_that_the_other_end_has_gone(ends: tuple[Channel, Channel, socket.socket]) -> None:
    one, two, _ = ends
    one.send(b"last")
    one.close()
    assert two.receive() == b"last"
    with pytest.raises(ChannelClosed):
        two.receive()
    with pytest.raises(ChannelClosed):
        two.send(b"x" * 1_000_000)


def test_a_message_that_is_too_large_is_refused_before_it_is_read(
    ends: tuple[Channel, Channel, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "MAX_MESSAGE", 10)
    one, two, _ = ends
    one.send(b"x" * 11)
    with pytest.raises(ProtocolError):
        two.receive()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="processes are listed in /proc alone")
@pytest.mark.parametrize(("seconds", "told"), [(60, True), (0.3, False)])
def test_another_daemon_of_the_home_is_told_unless_it_is_about_to_end(
    tmp_path: Path, seconds: float, told: bool
) -> None:
    place = paths.layout({"UNABRIDGED_HOME": str(tmp_path)})
    sleep = f"import time; print(flush=True); time.sleep({seconds})"
    command = [sys.executable, "-c", sleep, "unabridged.app.daemon", place.data]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            other.stdout.readline()
            found = [item for item in examine.files(place, False, running=False) if item.check == "daemons"]
        finally:
            other.kill()
    assert [item.hint for item in found] == ([f"kill {other.pid}"] if told else [])
