"""One owner per home."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unabridged.daemon import lock
from unabridged.errors import StoreLocked, UnsafePath

HOLDER = """
import sys
from unabridged.daemon import lock
held = lock.acquire(sys.argv[1])
held.describe(pid=int(sys.argv[2]), version="1")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "daemon.lock")


@pytest.fixture
def holder(path: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLDER, path, "4242"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    yield child
    child.kill()
    child.communicate()


def test_a_second_owner_is_refused_and_told_who_the_first_is(
    path: str, holder: subprocess.Popen[str]
) -> None:
    assert lock.held(path)
    with pytest.raises(StoreLocked, match="4242") as caught:
        lock.acquire(path)
    assert caught.value.details["owner"] == {"pid": 4242, "version": "1"}


# https://github.com/Dicklesworthstone/coding_agent_session_search/issues/263: a binary that was deleted still holds
# the lock.
def test_an_owner_that_is_killed_leaves_a_lock_that_anybody_can_take(
    path: str, holder: subprocess.Popen[str]
) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert not lock.held(path)
    assert lock.read_owner(path) == {"pid": 4242, "version": "1"}
    with_wait = lock.acquire(path, wait=5.0)
    assert lock.held(path)
    with_wait.release()
    assert lock.read_owner(path) == {}


def test_a_waiter_gets_the_lock_when_its_owner_ends(path: str, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGTERM)
    lock.acquire(path, wait=10.0).release()
    assert not lock.held(path)


def test_a_lock_file_removed_under_its_owner_does_not_make_two_owners_of_one_file(path: str) -> None:
    first = lock.acquire(path)
    Path(path).unlink()
    second = lock.acquire(path)
    assert lock.held(path)
    assert not os.path.samestat(os.fstat(first.descriptor), os.fstat(second.descriptor))
    second.release()
    first.release()


def test_a_link_in_place_of_the_lock_is_refused(path: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("kept")
    Path(path).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath):
        lock.acquire(path)
    assert (tmp_path / "elsewhere").read_text() == "kept"


@pytest.mark.parametrize("text", ["", "not json", "[1]", "{" * 10_000])
def test_a_damaged_owner_file_tells_nothing_and_locks_nobody_out(path: str, text: str) -> None:
    Path(path).write_text(text)
    assert lock.read_owner(path) == {}
    lock.acquire(path).release()
