"""A process that is told to end does so in order, whenever that is."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, os, signal, time
import uvloop
from unabridged.daemon.ending import Ending

moments = {moments!r}
told = []


def moment(name):
    for number in moments.get(name, ()):
        os.kill(os.getpid(), number)
        time.sleep(0.01)


async def serve():
    moment("begun")
    ended = asyncio.Event()
    with ending.telling(asyncio.get_running_loop(), lambda name: (told.append(name), ended.set())):
        moment("serving")
        await ended.wait()
        moment("told")
        await asyncio.sleep(0.01)
    moment("over")


ending = Ending()
moment("before")
with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    moment("made")
    runner.run(serve())
    moment("served")
moment("behind")
print(*told)
"""


def run(moments: dict[str, list[int]], *before: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-c", PROGRAM.format(moments=moments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("moment", ["before", "made", "begun", "serving"])
@pytest.mark.parametrize(("number", "name"), [(15, "SIGTERM"), (2, "SIGINT"), (1, "SIGHUP")])
def test_who_serves_is_told_of_what_came_before(moment: str, number: int, name: str) -> None:
    done = run({moment: [number]})
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{name}\n")


@pytest.mark.parametrize("moment", ["over", "served", "behind"])
@pytest.mark.parametrize("number", [15, 2, 1])
def test_what_comes_while_a_process_ends_does_not_cut_it_short(moment: str, number: int) -> None:
    done = run({"serving": [15], moment: [number]})
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "SIGTERM\n")


def test_each_signal_is_told_once_and_in_order() -> None:
    done = run({"made": [2], "serving": [15], "told": [15]})
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "SIGINT SIGTERM SIGTERM\n")


def test_who_wants_it_to_outlive_a_terminal_has_that() -> None:
    done = run({"begun": [1], "serving": [15]}, "nohup")
    assert (done.returncode, done.stdout) == (0, "SIGTERM\n")
