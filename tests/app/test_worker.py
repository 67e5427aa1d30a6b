"""Worker processes end with their daemon, and say what went wrong in them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.daemon.living import SESSION, alive, transcript, until
from unabridged.app import indexing, ingesting, worker
from unabridged.daemon import indexmessages, messages
from unabridged.daemon.channel import Channel
from unabridged.daemon.messages import Ack, Broken, Filled, Find, Finished, FoundSome, Read
from unabridged.daemon.workers import Process
from unabridged.hosts.contract import Candidate

# A parent that starts a worker, says its number, and then does nothing until it is killed.
PARENT = """
import sys, time
from unabridged.daemon.workers import Process
print(Process("ingest").pid, flush=True)
time.sleep(600)
"""


def test_a_worker_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.kill()
    parent.communicate()
    until(lambda: not alive(pid))
    assert not alive(pid)


def test_a_worker_ends_when_its_channel_is_closed() -> None:
    process = Process("ingest")
    process.channel.send(messages.encode(Find(["/nowhere"], [], {}, "/", "linux")))
    report = messages.report(process.channel.receive())
    assert isinstance(report, FoundSome)
    assert report.last
    assert process.end() == 0


def test_a_worker_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unabridged.daemon.workers.END_SECONDS", 0.05)
    process = Process("ingest")
    os.kill(process.pid, signal.SIGSTOP)
    assert process.end() == -signal.SIGKILL


def test_a_worker_whose_parent_is_another_process_does_not_begin() -> None:
    code = "from unabridged.app.worker import die_with; die_with(1 << 22); print('went on')"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == ""
    assert worker.PARENT_SECONDS > 0


def conversation(*commands: object) -> list[object]:
    """Run the ingest role in a thread; return what it says until it has nothing more to say."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=ingesting.work, args=(theirs,), daemon=True)
    thread.start()
    channel, heard = Channel(ours), list[object]()
    for command in commands:
        channel.send(messages.encode(command))  # pyright: ignore[reportArgumentType]
        while True:
            report = messages.report(channel.receive())
            heard.append(report)
            if isinstance(report, Finished | Broken) or (isinstance(report, FoundSome) and report.last):
                break
            if isinstance(report, Filled) and sum(isinstance(item, Filled) for item in heard) >= 2:
                channel.send(messages.encode(Ack(stop=False)))
    channel.close()
    thread.join(10)
    assert not thread.is_alive()
    theirs.close()
    return heard


def test_a_command_that_cannot_be_obeyed_is_reported_and_the_next_one_is(tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 1)
    bad = Read("no such host", Candidate(str(path), "file"), None, 600.0)
    good = Read("claude-code", Candidate(str(path), "file"), None, 600.0)
    heard = conversation(bad, good)
    assert [type(report) for report in heard] == [Broken, Filled, Finished]
    assert isinstance(heard[0], Broken)
    assert heard[0].kind == "NotATranscript"
    assert isinstance(heard[1], Filled)
    assert heard[1].consumed == path.stat().st_size


def test_a_transcript_that_went_away_is_a_problem_of_its_own(tmp_path: Path) -> None:
    heard = conversation(Read("claude-code", Candidate(str(tmp_path / "none.jsonl"), "file"), None, 600.0))
    assert isinstance(heard[0], Finished)
    assert (heard[0].outcome, [item.code for item in heard[0].troubles]) == ("failed", ["transcript-changed"])


def test_an_index_worker_refuses_orders_before_it_has_an_index() -> None:
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=indexing.work, args=(theirs,), daemon=True)
    thread.start()
    channel = Channel(ours)
    channel.send(indexmessages.encode(indexmessages.Commit()))
    report = indexmessages.report(channel.receive())
    assert isinstance(report, indexmessages.Failed)
    assert report.code == "protocol-error"
    channel.close()
    thread.join(10)
    assert not thread.is_alive()
    theirs.close()
