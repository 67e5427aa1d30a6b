"""A daemon is stopped, restarted, moved, replaced by one of another build while all are connected: nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import PATIENCE, SESSION, Home, alive, children, kill, transcript, until
from tests.mcp.agent import Agent
from tests.support.hooking import event, surroundings
from tests.support.hooking import tell as hook
from unabridged.daemon import lock, starting
from unabridged.daemon.client import Client
from unabridged.daemon.link import Link

pytestmark = pytest.mark.slow

# The daemon of a build before this one: it lacks operations.
BEFORE = """
import sys
import unabridged
unabridged.__version__ = "0.0.9"
from unabridged.service import operations
for name in ("gather", "traverse"):
    del operations.OPERATIONS[name]
from unabridged.app import daemon
sys.exit(daemon.main(sys.argv[1:]))
"""
WORD = "word1"


@contextmanager
def before(home: Home) -> Iterator[int]:
    """Have a home served by a daemon of another build; gives its process number."""
    layout = home.layout
    words = [sys.executable, "-P", "-c", BEFORE, "--place", layout.data, layout.config, layout.state]
    Path(layout.logs).mkdir(mode=0o700, parents=True, exist_ok=True)
    process = subprocess.Popen(words)
    try:
        until(lambda: lock.read_owner(layout.lock).get("pid") == process.pid, "it does not start")
        yield process.pid
    finally:
        kill(process.pid)
        process.wait()


def reasons(home: Home) -> list[str]:
    return [record["reason"] for record in home.log() if record["event"] == "stopping"]


def gathered(home: Home) -> str:
    """Ask as the command line does, with a connection of its own."""
    with Client(home.layout) as client:
        return client.call("gather", {"query": WORD, "scope": "all"}, timeout=PATIENCE)["status"]


def through_a_link(home: Home) -> dict[str, Any]:
    """Ask as a gateway does."""

    async def main() -> dict[str, Any]:
        link = Link(home.layout, "", name="gateway", starts=True, mourns=False)
        try:
            await link.call("search", {"query": WORD})
            return await link.call("gather", {"query": WORD, "scope": "all"})
        finally:
            link.close()

    return asyncio.run(main())


def test_a_daemon_of_another_build_is_replaced_once_while_all_are_connected(
    home: Home, tmp_path: Path
) -> None:
    path = transcript(tmp_path / f"{SESSION}.jsonl", SESSION, 3)
    with before(home) as old, ThreadPoolExecutor(12) as pool:
        assert home.connect().call("import", {"paths": [str(path)]}, timeout=PATIENCE)["events"] == 6
        agent = Agent(home, tmp_path / "project")
        try:
            agent.begin()
            agent.ask("tools/list")
            transcript(path, SESSION, 1, first=3)
            said = event("Stop", path)
            asked = [
                *(pool.submit(gathered, home) for _ in range(4)),
                *(pool.submit(through_a_link, home) for _ in range(2)),
                *(pool.submit(hook, home.folder, said) for _ in range(4)),
            ]
            assert [found.result() for found in asked[:4]] == ["ok"] * 4
            assert [found.result()["status"] for found in asked[4:6]] == ["ok"] * 2
            assert [found.result() for found in asked[6:]] == [""] * 4
            told = agent.ask("tools/call", {"name": "gather", "arguments": {"query": WORD, "scope": "all"}})
            assert not told["result"]["isError"], told
        finally:
            agent.end()
        until(lambda: not alive(old))
        assert len([reason for reason in reasons(home) if "needs gather" in reason]) == 1
        assert home.events().count("ready") == 2
        client = home.connect()
        until(lambda: list(Path(home.layout.outbox).glob("*.json")) == [])
        until(lambda: client.call("sessions")["sessions"][0]["events"] == 8)
        assert client.call("verify", {"deep": True}, timeout=PATIENCE)["violations"] == []


def una(home: Home, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "unabridged", *words],
        env={**os.environ, "UNABRIDGED_HOME": str(home.folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=3 * PATIENCE,
    )


@pytest.mark.parametrize("verb", ["stop", "restart"])
def test_a_daemon_that_agents_have_started_again_at_once_has_ended_all_the_same(
    home: Home, tmp_path: Path, verb: str
) -> None:
    # The last one may be on its way when the test is over: it leaves by itself.
    home.configure(daemon={"idle_seconds": 1.0}, disk={"free_bytes": 0})
    first = home.connect()
    pid = first.server["pid"]
    # Whoever comes as soon as there is no daemon has another one started.
    code = (
        "import sys\nfrom unabridged.daemon.client import Client\nfrom unabridged.daemon.paths import layout\n"
        "from unabridged.errors import UnabridgedError\nprint(flush=True)\n"
        "while True:\n    try: Client(layout({'UNABRIDGED_HOME': sys.argv[1]})).close()\n"
        "    except UnabridgedError: pass\n"
    )
    eager = subprocess.Popen([sys.executable, "-c", code, str(home.folder)], stdout=subprocess.PIPE)
    try:
        assert eager.stdout is not None
        eager.stdout.readline()
        done = una(home, "daemon", verb)
        assert done.returncode == 0, done.stderr
        until(lambda: not alive(pid))
    finally:
        eager.kill()
        eager.communicate()
        first.close()
    until(lambda: not lock.held(home.layout.lock))


def test_two_who_stop_one_daemon_at_once_both_hear_that_it_has_ended(home: Home) -> None:
    home.connect()
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: una(home, "daemon", "stop"), range(4)))
    assert [(one.returncode, one.stderr) for one in done] == [(0, "")] * 4
    assert not lock.held(home.layout.lock)


def test_a_daemon_that_has_just_been_started_is_stopped_and_told(home: Home) -> None:
    kill(home.connect().server["pid"])
    until(lambda: not lock.held(home.layout.lock))
    killed = lock.read_owner(home.layout.lock)["pid"]
    starting.spawn(home.layout, wait=False)
    until(lambda: lock.held(home.layout.lock) and lock.read_owner(home.layout.lock).get("pid") != killed)
    done = una(home, "daemon", "stop", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["stopped"] not in (0, killed)
    assert not lock.held(home.layout.lock)


def test_a_daemon_whose_workers_hang_is_stopped_in_the_middle_of_an_import(
    home: Home, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "long.jsonl", SESSION, 4_000, filler=200)
    pid = home.connect().server["pid"]
    asking = subprocess.Popen(
        [sys.executable, "-m", "unabridged", "import", str(path)],
        env={**os.environ, "UNABRIDGED_HOME": str(home.folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    workers: set[int] = set()
    try:
        until(lambda: len(children(pid)) >= 2)
        workers = children(pid)
        for worker in workers:
            kill(worker, signal.SIGSTOP)
        done = una(home, "daemon", "stop")
        assert done.returncode == 0, done.stderr
        assert asking.wait(PATIENCE) != 0
    finally:
        asking.kill()
        asking.wait()
    until(lambda: not any(alive(process) for process in (pid, *workers)))
    answer = home.connect().call("import", {"paths": [str(path)]}, timeout=2 * PATIENCE)
    assert answer["problems"] == []
    assert home.connect().call("sessions")["sessions"][0]["events"] == 8_000


def test_a_home_that_is_moved_under_its_daemon_is_served_where_it_is_now(home: Home, tmp_path: Path) -> None:
    path = transcript(tmp_path / f"{SESSION}.jsonl", SESSION, 3)
    client = home.connect()
    assert client.call("import", {"paths": [str(path)]}, timeout=PATIENCE)["events"] == 6
    moved = Home(tmp_path / "moved")
    home.folder.rename(moved.folder)
    try:
        until(lambda: not alive(client.server["pid"]))  # its socket has moved with the home
        found = moved.connect()
        assert found.call("sessions")["sessions"][0]["events"] == 6
        assert found.call("verify", {"deep": True}, timeout=PATIENCE)["violations"] == []
        assert not home.folder.exists()
    finally:
        moved.end()


def test_starting_waits_for_who_restarts(home: Home) -> None:
    first = home.connect().server["pid"]
    seen = list[int]()

    def ask() -> None:
        with Client(home.layout, start=False) as client:
            client.call("shutdown")
        assert starting.await_end(home.layout)
        # A hook's starter that comes now must leave the start to us.
        starter = [sys.executable, "-m", "unabridged.app.starter"]
        folders = [home.layout.data, home.layout.config, home.layout.state]
        process = subprocess.Popen([*starter, *folders], env=surroundings(home.folder))
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2.0)
        seen.append(lock.held(home.layout.lock))
        waiting.append(process)

    waiting = list[subprocess.Popen[bytes]]()
    stopped = starting.restart(home.layout, ask, lambda: _answers(home))
    assert (stopped["pid"], seen) == (first, [False])
    assert waiting[0].wait(PATIENCE) == 0
    assert home.events().count("ready") == 2


def _answers(home: Home) -> bool:
    return Path(home.layout.socket).exists()
