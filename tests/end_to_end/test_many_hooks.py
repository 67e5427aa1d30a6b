"""Very many hooks at once lose nothing and are applied once, whatever becomes of the daemon.

`UNABRIDGED_TEST_HOOKS` sets how many hooks run (1,000 unless told otherwise).
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home, kill, transcript, until
from tests.support.hooking import command, event, hold_starts, surroundings
from unabridged.daemon import lock

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_800)]

HOOKS = int(os.environ.get("UNABRIDGED_TEST_HOOKS", "1000"))
A_SESSION = 10  # hooks of each session
AT_ONCE = 50  # processes
EXCHANGES = 2  # in each transcript


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[list[Home]]:
    made = [Home(tmp_path / name) for name in ("a", "b")]
    for home in made:
        home.configure(disk={"free_bytes": 0})
    yield made
    for home in made:
        home.end()


def sessions(folder: Path) -> dict[str, Path]:
    """Write a transcript for each ten hooks."""
    names = [f"{number:08d}-2222-4333-8444-555555555555" for number in range(max(HOOKS // A_SESSION, 2))]
    return {name: transcript(folder / f"{name}.jsonl", name, EXCHANGES) for name in names}


def tell_all(homes: list[Home], written: dict[str, Path]) -> None:
    """Run all hooks at once; those of a session go to one home."""
    kinds = ("Stop", "UserPromptSubmit", "PreCompact", "PostToolUse", "SubagentStop")

    def one(number: int) -> tuple[int, bytes]:
        at = number % len(written)
        name = list(written)[at]
        said = event(kinds[number // len(written) % len(kinds)], written[name], name, prompt="word1?")
        process = subprocess.run(
            command(),
            input=json.dumps(said).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=surroundings(homes[at % len(homes)].folder),
            check=False,
        )
        return process.returncode, process.stderr

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert set(pool.map(one, range(HOOKS))) == {(0, b"")}


def check_applied(home: Home, names: set[str]) -> None:
    """Check that a home has every one of some sessions, once, and nothing that waits or failed."""
    client = home.connect()
    client.call("outbox")
    until(lambda: list(Path(home.layout.outbox).glob("*.json")) == [])

    def rows() -> dict[str, int]:
        found: list[dict[str, Any]] = client.call("sessions", {"limit": 500})["sessions"]
        return {row["host_session"]: row["events"] for row in found}

    until(lambda: rows() == dict.fromkeys(names, 2 * EXCHANGES))
    assert client.call("outbox")["entries"] == []
    assert client.call("verify", {"deep": True}, timeout=300)["violations"] == []


def up(home: Home) -> None:
    home.connect().close()


def down(home: Home) -> None:
    hold_starts(home.folder)


@pytest.mark.parametrize("prepare", [up, down])
def test_hooks_at_once_lose_nothing_and_apply_once(
    homes: list[Home], tmp_path: Path, prepare: Callable[[Home], None]
) -> None:
    written = sessions(tmp_path)
    prepare(homes[0])
    tell_all(homes[:1], written)
    check_applied(homes[0], set(written))


# https://github.com/thedotmack/claude-mem/issues/3813: the queue that a worker had in memory is lost with it.
def test_hooks_at_once_lose_nothing_while_the_daemon_is_killed(homes: list[Home], tmp_path: Path) -> None:
    written, home = sessions(tmp_path), homes[0]
    up(home)
    over = threading.Event()

    def killing() -> int:
        count = 0
        while not over.wait(0.7):
            facts = lock.read_owner(home.layout.lock) if lock.held(home.layout.lock) else {}
            if "pid" in facts:
                kill(int(facts["pid"]))
                count += 1
        return count

    with ThreadPoolExecutor(1) as pool:
        killed = pool.submit(killing)
        tell_all([home], written)
        over.set()
        assert killed.result() > 0
    check_applied(home, set(written))


def test_hooks_of_two_homes_never_meet(homes: list[Home], tmp_path: Path) -> None:
    written = sessions(tmp_path)
    up(homes[0])
    down(homes[1])
    tell_all(homes, written)
    for number, home in enumerate(homes):
        check_applied(home, set(list(written)[number::2]))
