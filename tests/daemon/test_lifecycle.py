"""Daemons start once, stop cleanly, and leave nothing behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.daemon.living import (
    PATIENCE,
    SESSION,
    Home,
    alive,
    children,
    environment,
    kill,
    transcript,
    until,
)
from unabridged.daemon import lock, login, starting
from unabridged.daemon.client import Client
from unabridged.errors import DaemonUnavailable, StoreLocked, StoreTooNew, UnsafePath

# Every test here starts daemons.
pytestmark = pytest.mark.slow

STARTER = """
import sys
from unabridged.daemon.client import Client
from unabridged.daemon.paths import layout
client = Client(layout({"UNABRIDGED_HOME": sys.argv[1]}))
print(client.call("ping")["pid"], flush=True)
sys.stdin.read()
"""


# https://github.com/MemPalace/mempalace/issues/1329: several servers and hooks write one store.
def test_twenty_starters_at_once_end_with_one_daemon_and_all_connected(home: Home) -> None:
    home.configure(daemon={"connections": 32}, disk={"free_bytes": 0})
    command = [sys.executable, "-c", STARTER, str(home.folder)]
    starters = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(20)
    ]
    try:
        said = [starter.stdout.readline().strip() for starter in starters if starter.stdout is not None]
    finally:
        for starter in starters:
            starter.kill()
            starter.wait()
    assert said == [str(home.pid)] * 20
    assert home.events().count("ready") == 1


def test_a_daemon_says_who_it_is_and_what_it_can(home: Home) -> None:
    server = home.connect(project="/somewhere").server
    assert server["pid"] == home.pid
    assert {"ping", "import", "search", "cancel"} <= set(server["capabilities"])
    assert server["limits"]["frame_bytes"] == 16 << 20
    assert server["scope"] == "all"
    facts = lock.read_owner(home.layout.lock)
    assert facts["version"] == server["version"]
    assert facts["socket"] == home.layout.socket


def test_the_granted_scope_is_the_smaller_of_the_asked_and_the_users(home: Home) -> None:
    home.configure(read={"scope": "project"}, disk={"free_bytes": 0})
    assert home.connect(scope="session").server["scope"] == "session"
    assert home.connect(scope="all").server["scope"] == "project"
    assert home.connect().server["scope"] == "project"


def test_an_idle_daemon_exits_and_leaves_neither_socket_nor_lock(home: Home) -> None:
    home.configure(daemon={"idle_seconds": 0.2}, disk={"free_bytes": 0})
    client = home.connect()
    assert client.call("ping")["ok"]
    pid = home.pid
    until(lambda: "ready" in home.events())
    assert alive(pid), "a connected client keeps it"
    client.close()
    until(lambda: not alive(pid))
    assert not lock.held(home.layout.lock)
    assert not Path(home.layout.socket).exists()
    assert home.log()[-1]["event"] == "stopped"


def test_a_client_of_a_daemon_that_went_idle_starts_another(home: Home) -> None:
    home.configure(daemon={"idle_seconds": 0.1}, disk={"free_bytes": 0})
    first = home.connect()
    pid = first.server["pid"]
    first.close()
    until(lambda: not alive(pid))
    assert home.connect().call("ping")["pid"] != pid


def test_a_terminated_daemon_ends_its_workers_and_closes_its_store(home: Home, tmp_path: Path) -> None:
    client = home.connect()
    client.call("import", {"paths": [str(transcript(tmp_path / "t.jsonl", SESSION, 3))]}, timeout=60)
    pid, workers = home.pid, children(home.pid)
    assert workers
    kill(pid, signal.SIGTERM)
    until(lambda: not any(alive(process) for process in (pid, *workers)))
    assert [record["reason"] for record in home.log() if record["event"] == "stopping"] == ["SIGTERM"]
    assert home.events()[-1] == "stopped"


def test_a_client_connects_again_once_when_its_daemon_was_replaced(home: Home) -> None:
    client = home.connect()
    first = client.server["pid"]
    kill(first)
    until(lambda: not alive(first))
    second = client.call("ping")["pid"]
    home.pids.add(second)
    assert second != first


def test_what_is_left_of_a_killed_daemon_does_not_keep_the_next_one_from_starting(home: Home) -> None:
    client = home.connect()
    pid = client.server["pid"]
    kill(pid)
    until(lambda: not alive(pid))
    assert Path(home.layout.socket).exists()
    assert lock.read_owner(home.layout.lock)["pid"] == pid
    with pytest.raises(DaemonUnavailable):
        Client(home.layout, start=False)
    assert home.connect().call("ping")["pid"] != pid


def test_what_keeps_a_daemon_from_starting_reaches_its_starter(home: Home) -> None:
    home.connect().call("shutdown")
    assert starting.await_end(home.layout)
    form = Path(home.layout.store) / "FORMAT"
    form.write_text(form.read_text().replace("version: 1", "version: 99"))
    with pytest.raises(StoreTooNew):
        home.connect()
    assert not lock.held(home.layout.lock)


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_a_run_folder_that_others_can_enter_is_refused_before_anything_is_opened(
    home: Home, mode: int
) -> None:
    run = Path(home.layout.run)
    run.mkdir(mode=0o700)
    run.chmod(mode)
    with pytest.raises(UnsafePath):
        home.connect()
    assert not Path(home.layout.store).exists()
    assert list(run.iterdir()) == []


def test_a_home_that_is_a_link_is_refused(home: Home, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(home.folder)
    with pytest.raises(UnsafePath):
        Home(link).connect()


def test_something_else_in_the_sockets_place_is_refused_and_kept(home: Home) -> None:
    run = Path(home.layout.run)
    run.mkdir(mode=0o700)
    (run / "daemon.sock").write_text("not ours")
    with pytest.raises(UnsafePath):
        home.connect()
    assert (run / "daemon.sock").read_text() == "not ours"


def test_a_home_too_deep_for_a_socket_works_all_the_same(tmp_path: Path) -> None:
    deep = Home(tmp_path / ("d" * 70) / ("e" * 70))
    deep.folder.parent.mkdir()
    deep.configure(disk={"free_bytes": 0})
    try:
        assert deep.connect().call("ping")["ok"]
        assert not deep.layout.socket.startswith(str(deep.folder))
        pid = deep.pid
        shutil.rmtree(deep.folder)
        until(lambda: not alive(pid))
        assert not Path(deep.layout.socket).exists()
    finally:
        deep.end()


def test_a_daemon_started_on_demand_does_not_take_the_users_settings_from_its_environment(home: Home) -> None:
    with environment(UNABRIDGED_READ_SCOPE="session", UNABRIDGED_DAEMON_SLOW_MS="7"):
        client = home.connect()
        assert client.server["scope"] == "all"
        problems = client.call("status")["problems"]
        assert [item["code"] for item in problems if item["code"] == "setting-ignored"] == ["setting-ignored"]
        client.call("shutdown")
        assert starting.await_end(home.layout)
        starting.start(home.layout, lambda: _there(home), explicit=True)
        assert home.connect().server["scope"] == "session"


def _there(home: Home) -> bool:
    try:
        Client(home.layout, start=False).close()
    except DaemonUnavailable:
        return False
    return True


def test_a_second_daemon_on_one_home_says_that_the_first_one_runs(home: Home) -> None:
    pid = home.connect().server["pid"]
    told = starting.spawn(home.layout)
    assert told["running"]["pid"] == pid
    assert home.events().count("ready") == 1


def test_a_login_service_that_finds_a_daemon_fails_so_that_it_is_tried_again(home: Home) -> None:
    pid = home.connect().server["pid"]
    words = login.command(sys.executable, home.layout)
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (
        StoreLocked.exit_code,
        "unabridged: store-locked: another daemon serves this home\n",
    )
    kill(pid, signal.SIGTERM)
    until(lambda: not alive(pid))
    service = subprocess.Popen(words)
    try:
        until(lambda: lock.read_owner(home.layout.lock).get("pid") == service.pid)
    finally:
        service.terminate()
        assert service.wait(PATIENCE) == 0


def test_force_ends_a_daemon_that_does_not_answer_and_nobody_else(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = home.connect()
    pid = client.server["pid"]
    os.kill(pid, signal.SIGSTOP)

    def ask() -> None:
        raise DaemonUnavailable

    with pytest.raises(DaemonUnavailable):
        starting.stop(home.layout, ask)
    assert alive(pid)
    monkeypatch.setattr(starting, "FORCE_SECONDS", 0.1)
    monkeypatch.setattr(starting, "SIGNAL_SECONDS", 0.1)
    stopped = starting.stop(home.layout, ask, force=True)
    assert stopped["pid"] == pid
    assert not alive(pid)
    assert starting.stop(home.layout, ask, force=True) == {}
    assert not starting.is_daemon(os.getpid())


def test_a_busy_store_lock_of_another_process_is_reported_not_broken(home: Home) -> None:
    held = None
    home.connect().call("shutdown")
    assert starting.await_end(home.layout)
    held = lock.acquire(home.layout.lock)
    try:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(home.layout.socket)
        listener.listen()
        told = starting.spawn(home.layout)
        assert "running" in told
        listener.close()
    finally:
        held.release()
        Path(home.layout.socket).unlink()


def test_a_daemon_that_cannot_even_begin_is_given_up_soon(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "MODULE", "unabridged.app.no_such_module")
    with pytest.raises(DaemonUnavailable, match="ends while it starts") as caught:
        home.connect()
    assert "no_such_module" in Path(caught.value.details["error_stream"]).read_text()


def test_a_daemon_whose_home_was_removed_ends(home: Home) -> None:
    home.configure(daemon={"idle_seconds": 0.5}, disk={"free_bytes": 0})
    client = home.connect()
    pid = client.server["pid"]
    shutil.rmtree(home.folder)
    until(lambda: not alive(pid))
    assert not lock.held(home.layout.lock)


def test_nor_is_it_kept_by_a_file_in_the_place_of_its_home(home: Home, tmp_path: Path) -> None:
    pid = home.connect().server["pid"]
    moved = tmp_path / "moved"
    home.folder.rename(moved)
    home.folder.write_text("")
    until(lambda: not alive(pid), "a daemon goes on without its home")
    home.folder.unlink()


def test_a_home_that_was_removed_and_made_again_has_a_daemon_that_the_first_one_leaves_alone(
    home: Home,
) -> None:
    first = home.connect()
    shutil.rmtree(home.folder)
    home.configure(disk={"free_bytes": 0})
    second = home.connect()
    assert second.server["pid"] != first.server["pid"]
    until(lambda: not alive(first.server["pid"]), "the daemon of the home that is gone goes on")
    assert lock.held(home.layout.lock)
    assert Client(home.layout, start=False).server["pid"] == second.server["pid"]


def test_nor_does_it_touch_the_other_when_it_is_told_to_end(home: Home) -> None:
    first = home.connect().server["pid"]
    shutil.rmtree(home.folder)
    home.configure(disk={"free_bytes": 0})
    second = home.connect().server["pid"]
    kill(first, signal.SIGTERM)
    until(lambda: not alive(first))
    assert Client(home.layout, start=False).server["pid"] == second


def test_a_process_that_claims_the_same_home_is_found(home: Home) -> None:
    pid = home.connect().server["pid"]
    code = "import sys; sys.stdin.read()"
    command = [sys.executable, "-c", code, "unabridged.app.daemon", "--place", home.layout.data, "a", "b"]
    other = subprocess.Popen(command, stdin=subprocess.PIPE)
    try:
        checks = home.connect().call("doctor")["checks"]
    finally:
        other.kill()
        other.communicate()
    found = [item for item in checks if item["check"] == "daemons"]
    assert [f"process {other.pid}" in item["detail"] for item in found] == [True]
    assert str(pid) not in found[0]["detail"]


def _import_in_background(home: Home, path: Path) -> subprocess.Popen[bytes]:
    script = (
        "import sys\nfrom unabridged.daemon.client import Client\nfrom unabridged.daemon.paths import layout\n"
        "Client(layout({'UNABRIDGED_HOME': sys.argv[1]})).call('import', {'paths': [sys.argv[2]]}, print)\n"
    )
    command = [sys.executable, "-c", script, str(home.folder), str(path)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _notice(pid: int, seen: set[int]) -> bool:
    seen |= children(pid)
    return bool(seen)


def _all_gone(pid: int, seen: set[int]) -> bool:
    return not any(alive(process) for process in (pid, *seen))


# https://github.com/thedotmack/claude-mem/issues/2184: orphans outlive ~1,800 rounds of what should end them.
def test_a_daemon_killed_at_any_moment_leaves_no_process_behind(home: Home, tmp_path: Path) -> None:
    rng = random.Random(7)
    path = transcript(tmp_path / "long.jsonl", SESSION, 4_000, filler=200)
    for _ in range(10):
        home.connect().close()
        pid = home.pid
        asking = _import_in_background(home, path)
        seen: set[int] = set()
        until(partial(_notice, pid, seen))
        for _ in range(rng.randrange(1, 60)):
            seen |= children(pid)
        kill(pid)
        until(partial(_all_gone, pid, seen), "a worker outlived its daemon")
        asking.kill()
        asking.wait()
    home.pids.clear()
    answer = home.connect().call("import", {"paths": [str(path)]}, timeout=120)
    assert answer["lines"]["unreadable"] == 0
    assert home.connect().call("verify", {"deep": True}, timeout=120)["violations"] == []


def test_a_worker_killed_in_the_middle_does_not_fail_the_import(home: Home, tmp_path: Path) -> None:
    client = home.connect()
    path = transcript(tmp_path / "long.jsonl", SESSION, 3_000, filler=200)
    killed: set[int] = set()

    def progress(facts: object) -> None:
        workers = client_of_status.call("daemon.status")["daemon"]["ingest"]["workers"]
        if not killed and workers:
            killed.update(workers)
            for worker in workers:
                kill(worker)

    client_of_status = home.connect()
    answer = client.call("import", {"paths": [str(path)]}, progress, timeout=120)
    assert killed
    assert answer["problems"] == []
    assert client.call("sessions")["sessions"][0]["events"] == 6_000
