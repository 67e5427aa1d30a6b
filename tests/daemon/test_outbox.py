"""The outbox: entries of hooks are applied once each, and nothing in the folder stops that."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, kill, transcript, until
from tests.support.hooking import event, tell
from unabridged.daemon.draining import Draining
from unabridged.daemon.importrun import ImportRun
from unabridged.daemon.logs import Log
from unabridged.daemon.messages import Trouble
from unabridged.daemon.outbox import ATTEMPTS, MAX_BYTES, Outbox, Useless
from unabridged.errors import DiskLow, NotFound, PathUnreadable, UnsafePath

OTHER = "22222222-2222-4333-8444-555555555555"


def put(folder: Path, name: str, data: bytes | None = None, **said: Any) -> Path:
    """Leave an entry as a hook does."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    entry = {"version": 1, "host": "claude-code", "event": "Stop", "session": SESSION, **said}
    path = folder / f"{name}.json"
    path.write_bytes(json.dumps(entry).encode() if data is None else data)
    return path


class Reader:
    """Notes what it is asked to read, and ends as it was told to."""

    def __init__(self) -> None:
        self.read: list[tuple[str, bool]] = []
        self.trouble: dict[str, str] = {}
        self.error: DiskLow | None = None
        self.pending = False

    def follow(self, path: str, host: str, *, ended: bool = False) -> ImportRun:
        self.read.append((path, ended))
        run = ImportRun([path])
        if path in self.trouble:
            run.trouble([Trouble(path, 0, self.trouble[path], "it failed")])
        if not self.pending:
            run.found_all(self.error)
        return run


class Sessions:
    """Knows some sessions."""

    def __init__(self) -> None:
        self.known: dict[str, list[str]] = {}

    def paths(self, host: str, session: str) -> list[str] | None:
        return self.known.get(session)


class Rig:
    """An outbox with what drains it, without a daemon."""

    def __init__(self, folder: Path) -> None:
        self.box = folder / "outbox"
        self.place = folder / "place"
        self.place.mkdir()
        self.outbox = Outbox(str(self.box))
        self.reader, self.sessions = Reader(), Sessions()
        self.log = Log(str(folder / "logs"))
        roots = {"claude-code": [self.place]}
        self.draining = Draining(
            self.outbox, self.reader, self.sessions, frozenset(("claude-code",)), lambda: roots, self.log, 0.0
        )

    def waiting(self) -> Sequence[str]:
        return self.outbox.oldest(100)

    def reasons(self) -> dict[str, str]:
        return {held.id: held.code for held in self.outbox.held()}

    def file(self, name: str = "t.jsonl") -> Path:
        path = self.place.parent / name
        path.write_text("{}\n")
        return path


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


# --- applying ---------------------------------------------------------------------------------------------------------


def test_entries_of_one_transcript_are_one_read(rig: Rig) -> None:
    path, other = rig.file(), rig.file("u.jsonl")
    for number in range(30):
        put(rig.box, f"{number:016x}-1", transcript=str(path))
    put(rig.box, f"{31:016x}-1", transcript=str(other), event="SessionEnd")
    assert rig.draining.drain() == 31
    assert sorted(rig.reader.read) == [(str(path), False), (str(other), True)]
    assert rig.waiting() == []


def test_the_oldest_entries_are_taken_first_and_no_more_than_asked_for(rig: Rig) -> None:
    for number in (5, 3, 9, 1):
        put(rig.box, f"{number:016x}-1")
    assert [int(name[:16], 16) for name in rig.outbox.oldest(2)] == [1, 3]


# https://github.com/Dicklesworthstone/coding_agent_session_search/issues/263: the mark of what was read moves past
# what was not kept.
def test_an_entry_stays_until_its_transcript_is_durable(rig: Rig) -> None:
    put(rig.box, "a", transcript=str(rig.file()))
    rig.reader.pending = True
    rig.draining.start()
    until(lambda: bool(rig.reader.read))
    rig.draining.close(10)
    assert rig.waiting() == ["a.json"]


def test_an_event_of_a_subagent_has_both_transcripts_read(rig: Rig) -> None:
    mine, its = rig.file(), rig.file("agent.jsonl")
    put(rig.box, "a", transcript=str(mine), agent_transcript=str(its), event="SubagentStop")
    rig.reader.trouble[str(its)] = "path-unreadable"
    rig.draining.drain()
    assert [path for path, _ in rig.reader.read] == [str(mine), str(its)]
    assert rig.waiting() == ["a.f1.json"]


def test_an_entry_that_hooks_may_replace_is_renamed_before_it_is_read(rig: Rig) -> None:
    path = put(rig.box, "tool-x", transcript=str(rig.file()))
    name = rig.outbox.take("tool-x.json")
    put(rig.box, "tool-x", transcript="/later.jsonl")
    rig.outbox.done([name])
    assert path.exists()


# https://github.com/anthropics/claude-code/issues/75435 and /76362: the path that a hook is told is stale.
def test_a_session_that_is_found_elsewhere_is_read_there(rig: Rig) -> None:
    moved, known = rig.place / "deep" / f"{SESSION}.jsonl", rig.file("known.jsonl")
    moved.parent.mkdir()
    moved.write_text("{}\n")
    rig.sessions.known[OTHER] = [str(known), "/gone.jsonl"]
    put(rig.box, "a", transcript="/not/there.jsonl")
    put(rig.box, "b", transcript="", session=OTHER)
    assert rig.draining.drain() == 2
    assert [path for path, _ in rig.reader.read] == [str(moved), str(known)]
    assert rig.waiting() == []


# https://github.com/thedotmack/claude-mem/issues/1274: a hook fails when the transcript is gone.
def test_a_missing_transcript_of_an_archived_session_is_no_fault(rig: Rig) -> None:
    rig.sessions.known[SESSION] = ["/gone.jsonl"]
    put(rig.box, "a", transcript="/gone.jsonl")
    rig.draining.drain()
    assert (rig.waiting(), rig.reasons()) == ([], {})


def test_a_session_that_ended_before_it_was_written_is_no_fault(rig: Rig) -> None:
    put(rig.box, "a", transcript="/never.jsonl", event="SessionStart")
    put(rig.box, "b", transcript=str(rig.place.parent / "empty.jsonl"), event="Stop")
    (rig.place.parent / "empty.jsonl").touch()
    rig.reader.trouble[str(rig.place.parent / "empty.jsonl")] = "not-a-transcript"
    rig.draining.drain()
    assert (rig.waiting(), rig.reasons()) == ([], {})


# --- failing ----------------------------------------------------------------------------------------------------------


def test_an_entry_that_keeps_failing_goes_to_quarantine(rig: Rig) -> None:
    put(rig.box, "a", transcript="/gone.jsonl")
    for attempt in range(1, ATTEMPTS):
        rig.draining.drain()
        assert rig.waiting() == [f"a.f{attempt}.json"]
    rig.draining.drain()
    assert (rig.waiting(), rig.reasons()) == ([], {"a": "path-not-found"})
    (held,) = rig.outbox.held()
    assert (held.attempts, held.shown()["session"]) == (ATTEMPTS, SESSION)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not-json"),
        (b'{"version":1,"ho', "not-json"),
        (b"\xff\x00", "not-json"),
        (b"[1]", "invalid-input"),
        (b'{"host":7}', "invalid-input"),
        (b'{"host":"nobody","event":"Stop"}', "unknown-host"),
        (b'{"host":"claude-code","event":"Stop","version":9}', "unknown-version"),
        (b'{"host":"claude-code","event":"Stop","transcript":"/a\\u0000"}', "invalid-input"),
        (b" " * (MAX_BYTES + 1), "limit-exceeded"),
    ],
)
def test_what_can_never_be_an_entry_goes_to_quarantine_at_once(rig: Rig, data: bytes, code: str) -> None:
    put(rig.box, "bad", data)
    good = put(rig.box, "good", transcript=str(rig.file()))
    rig.draining.drain()
    assert rig.reasons() == {"bad": code}
    assert not good.exists()
    assert (rig.box / "quarantine" / "bad.json").read_bytes() == data


def test_links_folders_pipes_and_sockets_in_the_outbox_are_refused(rig: Rig, tmp_path: Path) -> None:
    secret = put(tmp_path / "elsewhere", "secret", transcript=str(rig.file()))
    rig.box.mkdir(mode=0o700)
    (rig.box / "link.json").symlink_to(secret)
    (rig.box / "folder.json").mkdir()
    os.mkfifo(rig.box / "pipe.json")
    socket.socket(socket.AF_UNIX).bind(os.path.relpath(rig.box / "socket.json"))
    (rig.box / "README").write_text("not ours")
    rig.draining.drain()
    assert rig.reasons() == dict.fromkeys(("link", "folder", "pipe", "socket"), "unsafe-path")
    assert rig.reader.read == []
    assert secret.exists()
    assert (rig.box / "README").exists()
    assert rig.outbox.drop(["link", "folder", "pipe", "socket"]) == 4
    assert secret.exists()


@pytest.mark.parametrize("step", ["take", "read"])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_an_entry_that_cannot_be_read_now_keeps_no_other_waiting_and_is_tried_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    ill = put(rig.box, "a", transcript=str(rig.file("a.jsonl")))
    well = put(rig.box, "b", transcript=str(rig.file("b.jsonl")))
    found = getattr(rig.outbox, step)

    def failing(name: str, *more: Any) -> Any:
        if name == ill.name:
            raise OSError(number, os.strerror(number))
        return found(name, *more)

    monkeypatch.setattr(rig.outbox, step, failing)
    rig.draining.drain()
    assert (ill.exists(), well.exists(), rig.reasons()) == (True, False, {})
    monkeypatch.undo()
    rig.draining.drain()
    assert rig.waiting() == []


def test_an_outbox_that_cannot_be_read_is_told(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    put(rig.box, "a", transcript=str(rig.file()))

    def unreadable(_: str) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "scandir", unreadable)
    assert rig.draining.facts()["error"] == "path-unreadable"
    with pytest.raises(PathUnreadable):
        rig.draining.drain()
    monkeypatch.undo()
    rig.draining.drain()
    assert rig.waiting() == []


def test_an_outbox_that_others_may_write_is_not_read(rig: Rig) -> None:
    put(rig.box, "a", transcript=str(rig.file()))
    rig.box.chmod(0o770)
    with pytest.raises(UnsafePath):
        rig.draining.drain()
    assert rig.draining.facts()["error"] == "unsafe-path"


def test_a_disk_that_is_full_counts_against_no_entry(rig: Rig) -> None:
    put(rig.box, "a", transcript=str(rig.file()))
    rig.reader.error = DiskLow()
    for _ in range(ATTEMPTS + 1):
        rig.draining.drain()
    assert rig.waiting() == ["a.json"]
    rig.reader.error = None
    rig.draining.drain()
    assert rig.waiting() == []


def test_what_a_hook_left_unfinished_is_removed_when_it_is_old(rig: Rig) -> None:
    put(rig.box, "a")
    old, young = rig.box / ".1-1.new", rig.box / ".2-2.new"
    for path in (old, young):
        path.write_bytes(b'{"ver')
    os.utime(old, (1, 1))
    rig.outbox.tidy()
    assert (old.exists(), young.exists()) == (False, True)
    assert rig.waiting() == ["a.json"]


# --- quarantine -------------------------------------------------------------------------------------------------------


def test_quarantine_is_replayed_and_dropped_by_name(rig: Rig) -> None:
    for name in ("a", "b", "c"):
        put(rig.box, name, b"not yet")
    rig.draining.drain()
    with pytest.raises(NotFound):
        rig.outbox.replay(["a", "z"])
    assert rig.outbox.drop(["b"]) == 1
    put(rig.box / "quarantine", "a", transcript=str(rig.file()))
    assert rig.outbox.replay([]) == 2
    rig.draining.drain()
    assert rig.reasons() == {"c": "not-json"}
    assert sorted(path.name for path in (rig.box / "quarantine").iterdir()) == ["c.json", "c.why"]


@pytest.mark.parametrize("name", ["../a", "a/b", "", ".."])
def test_no_name_leads_out_of_quarantine(rig: Rig, name: str) -> None:
    put(rig.box, "a", transcript=str(rig.file()))
    (rig.box / "quarantine").mkdir(mode=0o700)
    with pytest.raises(NotFound):
        rig.outbox.drop([name])
    assert rig.waiting() == ["a.json"]


def test_an_entry_of_a_later_version_is_useless_and_says_so(rig: Rig) -> None:
    put(rig.box, "a", version=2)
    with pytest.raises(Useless, match="version"):
        rig.outbox.read("a.json", lambda _: True)


# --- with a daemon ----------------------------------------------------------------------------------------------------


def test_a_daemon_takes_what_waited_when_it_starts_and_at_each_event(home: Home, tmp_path: Path) -> None:
    first = transcript(tmp_path / f"{SESSION}.jsonl", SESSION, 2)
    box = Path(home.layout.outbox)
    put(box, "0000-1", transcript=str(first))
    put(box, "0000-2", b"half a li")
    client = home.connect()
    until(lambda: list(box.glob("*.json")) == [])
    assert [row["events"] for row in client.call("sessions")["sessions"]] == [4]
    second = transcript(tmp_path / f"{OTHER}.jsonl", OTHER, 1)
    put(box, "0000-3", transcript=str(second), session=OTHER)
    tell(home.folder, event("Notification", first, SESSION))
    until(lambda: list(box.glob("*.json")) == [])
    assert len(client.call("sessions")["sessions"]) == 2
    told = client.call("outbox")
    assert [item["id"] for item in told["entries"]] == ["0000-2"]
    assert not told["ok"]
    assert client.call("status")["problems"][0]["code"] == "outbox-quarantined"
    assert {row["check"]: row["ok"] for row in client.call("doctor")["checks"]}["outbox"] is False
    assert client.call("outbox", {"action": "drop", "ids": ["0000-2"]})["changed"] == 1
    assert client.call("status")["ok"]


def test_an_ended_session_that_no_daemon_saw_has_its_turn_closed(home: Home, tmp_path: Path) -> None:
    path = transcript(tmp_path / f"{SESSION}.jsonl", SESSION, 1)
    box = Path(home.layout.outbox)
    put(box, "0-1", transcript=str(path), event="SessionEnd")
    client = home.connect()
    until(lambda: list(box.glob("*.json")) == [])
    (row,) = client.call("sessions")["sessions"]
    assert row["events"] == 2
    until(lambda: client.call("status")["store"]["documents"] == 1)


def test_a_daemon_killed_while_it_drains_loses_nothing(home: Home, tmp_path: Path) -> None:
    box = Path(home.layout.outbox)
    names = [f"{number:08d}-2222-4333-8444-555555555555" for number in range(40)]
    for number, name in enumerate(names):
        path = transcript(tmp_path / f"{name}.jsonl", name, 20, filler=50)
        put(box, f"{number:016x}-1", transcript=str(path), session=name)
    for _ in range(3):
        home.connect().close()
        kill(home.pid)
        home.pids.clear()
    client = home.connect()
    until(lambda: list(box.glob("*.json")) == [])
    rows = client.call("sessions", {"limit": 100})["sessions"]
    assert sorted((row["host_session"], row["events"]) for row in rows) == [(name, 40) for name in names]
    assert client.call("outbox")["entries"] == []
    assert client.call("verify", {"deep": True}, timeout=120)["violations"] == []
