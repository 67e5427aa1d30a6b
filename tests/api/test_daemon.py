"""Through a daemon: several threads, calls that are ended, a daemon that dies."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import LONG, PATIENCE, SESSION, Home, alive, kill, transcript, until
from unabridged import Archive
from unabridged.errors import (
    ArchiveClosed,
    Cancelled,
    DaemonUnavailable,
    DeadlineExceeded,
    InvalidInput,
    UnabridgedError,
)

Open = Callable[..., Archive]


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A transcript that is not imported in a moment."""
    return transcript(tmp_path / "long.jsonl", SESSION, LONG, filler=200)


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A transcript that soon is."""
    return transcript(tmp_path / "short.jsonl", SESSION, 300)


def searched(archive: Archive, _: int) -> list[str]:
    return [hit.handle for hit in archive.search("why did the flash write fail").hits]


def test_an_archive_starts_the_daemon_of_its_home_and_leaves_it_running(home: Home) -> None:
    with pytest.raises(DaemonUnavailable):
        Archive(home.folder, start=False)
    with Archive(home.folder) as archive:
        home.pids.add(home.pid)
        assert archive.status().daemon["pid"] == home.pid
    assert alive(home.pid)
    with Archive(home.folder, start=False) as archive:
        assert archive.status().daemon["connections"] == 1


@pytest.mark.parametrize("below", ["", "store"])
def test_a_home_is_opened_by_its_path_or_that_of_its_store(copied: Home, below: str) -> None:
    with Archive.open(copied.folder / below, project="") as archive:
        copied.pids.add(copied.pid)
        assert archive.status().daemon["home"] == str(copied.folder)
        assert len(archive.sessions().sessions) == 3


def test_threads_share_one_archive_and_never_more_connections_than_it_may_have(opened: Open) -> None:
    archive = opened(connections=2)
    wanted = searched(archive, 0)
    assert wanted
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: searched(archive, number), range(80)))
    assert found == [wanted] * 80
    assert archive.status().daemon["connections"] <= 2


def test_a_call_waits_for_a_connection_no_longer_than_it_may(opened: Open, short: Path) -> None:
    archive = opened(connections=1)
    busy, done = threading.Event(), threading.Event()

    def hold(_: Mapping[str, Any]) -> None:
        busy.set()
        done.wait(PATIENCE)

    with ThreadPoolExecutor(1) as threads:
        imported = threads.submit(lambda: archive.import_([short], on_progress=hold))
        assert busy.wait(PATIENCE)
        with pytest.raises(DeadlineExceeded):
            archive.search("flash", timeout=0.05)
        done.set()
        assert imported.result(PATIENCE).sessions == 1
    assert archive.search("flash").hits


@pytest.mark.parametrize("end", ["cancel", "close"])
def test_a_call_is_ended_from_another_thread(opened: Open, long: Path, end: str) -> None:
    archive, begun = opened(), threading.Event()
    with ThreadPoolExecutor(1) as threads:
        imported = threads.submit(lambda: archive.import_([long], on_progress=lambda _: begun.set()))
        assert begun.wait(PATIENCE)
        getattr(archive, end)()
        with pytest.raises(Cancelled):
            imported.result(PATIENCE)
    if end == "close":
        with pytest.raises(ArchiveClosed):
            archive.search("flash")
    else:
        assert archive.search("flash").hits


def test_what_a_callback_raises_ends_the_import_and_is_raised(opened: Open, long: Path) -> None:
    archive = opened()

    def enough(_: Mapping[str, Any]) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        archive.import_([long], on_progress=enough)
    until(lambda: archive.status().daemon["ingest"]["files"] == 0)
    assert archive.search("flash").hits


def test_an_import_stops_when_its_time_is_over(opened: Open, long: Path) -> None:
    with pytest.raises(DeadlineExceeded):
        opened().import_([long], timeout=0.2)


def test_a_callback_learns_how_far_an_import_is(opened: Open, short: Path) -> None:
    told: list[Mapping[str, Any]] = []
    answer = opened().import_([short], on_progress=told.append)
    assert answer.lines["unreadable"] == 0
    assert answer.searchable
    assert told
    assert all({"phase", "bytes", "bytes_done"} <= facts.keys() and "id" not in facts for facts in told)


def test_a_daemon_that_dies_in_an_import_is_told_and_the_next_call_starts_another(
    opened: Open, copied: Home, long: Path
) -> None:
    archive, first = opened(), copied.pid
    with pytest.raises(DaemonUnavailable):
        archive.import_([long], on_progress=lambda _: kill(first))
    assert archive.search("why did the flash write fail").hits
    copied.pids.add(copied.pid)
    assert copied.pid != first


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_daemon_that_ended_between_two_calls_is_not_noticed(
    opened: Open, copied: Home, how: signal.Signals
) -> None:
    archive, first = opened(), copied.pid
    kill(first, how)
    until(lambda: not alive(first))
    noted = archive.note("the barometer sits on the second bus", request="once", project="/nowhere")
    copied.pids.add(copied.pid)
    assert not noted.replayed
    again = archive.note("the barometer sits on the second bus", request="once", project="/nowhere")
    assert (again.document, again.replayed) == (noted.document, True)


def test_a_note_is_sent_again_under_its_request_when_the_connection_breaks(
    opened: Open, copied: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = opened()
    client: Any = archive._engine._free[0]  # pyright: ignore[reportAttributeAccessIssue]
    send = client._send

    def broken(data: bytes, deadline: float | None) -> None:
        send(data, deadline)
        client._socket.shutdown(2)  # the request is on its way, its answer will never come

    monkeypatch.setattr(client, "_send", broken)
    noted = archive.note("the radio of board C is deaf", project="/nowhere")
    found = [hit for hit in archive.search_all("the radio of board C is deaf") if hit.host == "note"]
    assert [hit.document for hit in found] == [noted.document]


def test_a_forked_child_has_connections_of_its_own(opened: Open) -> None:
    archive = opened()
    wanted = searched(archive, 0)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, repr(searched(archive, 0) == wanted).encode())
        finally:
            os._exit(0)
    os.close(writing)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(reading, 100) == b"True"
    os.close(reading)
    assert searched(archive, 0) == wanted


@pytest.mark.parametrize("timeout", [-1, float("nan"), float("inf"), "5", True])
def test_a_timeout_that_is_none_is_refused(opened: Open, timeout: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        opened().status(timeout=timeout)
    assert refused.value.details["field"] == "timeout"


def test_an_archive_without_a_connection_is_refused(home: Home) -> None:
    with pytest.raises(InvalidInput):
        Archive(home.folder, connections=0)


def test_one_path_is_not_taken_for_several(opened: Open) -> None:
    archive = opened()
    with pytest.raises(InvalidInput) as refused:
        archive.import_("/nowhere")
    assert refused.value.details["field"] == "paths"
    with pytest.raises(UnabridgedError):
        archive.import_(["/nowhere/at/all"])


def test_a_relative_path_is_taken_from_where_the_program_stands(
    opened: Open, long: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = opened()
    monkeypatch.chdir(long.parent)
    assert archive.import_([Path(long.name)], dry_run=True).found[0]["path"] == str(long)
