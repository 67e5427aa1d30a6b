"""In this process: who owns the store, what a store outside of a home gives, how everything ends."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import LONG, PATIENCE, SESSION, Home, children, environment, transcript, until
from unabridged import Archive
from unabridged.daemon import lock, starting
from unabridged.errors import (
    ArchiveClosed,
    Cancelled,
    DaemonUnavailable,
    DeadlineExceeded,
    InternalError,
    InvalidInput,
    StoreLocked,
    StoreMissing,
    WouldOverwrite,
)

CLAUDE = "7f0d2c54-3a61-4b8e-9c1f-52d7e0a4b619"


def test_a_store_that_a_daemon_owns_is_locked(copied: Home) -> None:
    with Archive(copied.folder):
        copied.pids.add(copied.pid)
        with pytest.raises(StoreLocked) as locked:
            Archive.open(copied.folder, in_process=True)
    assert locked.value.details["owner"]["pid"] == copied.pid


def test_a_store_that_this_process_owns_is_locked_until_it_is_closed(copied: Home) -> None:
    with Archive.open(copied.folder, in_process=True) as archive:
        assert archive.sessions().sessions
        with pytest.raises(StoreLocked):
            Archive.open(copied.layout.store, in_process=True)
    with Archive.open(copied.layout.store, in_process=True) as archive:
        assert archive.sessions().sessions


def test_an_archive_that_is_forgotten_lets_its_store_go(copied: Home) -> None:
    before = children(os.getpid())
    archive = Archive.open(copied.folder, in_process=True)
    del archive
    gc.collect()
    assert not lock.held(copied.layout.lock)
    until(lambda: children(os.getpid()) <= before)


def test_a_program_that_owns_a_store_is_never_ended_as_a_daemon_would_be(
    inside: Archive, copied: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable() -> None:
        raise DaemonUnavailable

    monkeypatch.setattr(starting, "FORCE_SECONDS", 0.05)
    monkeypatch.setattr(starting, "is_daemon", lambda pid: True)
    with pytest.raises(DaemonUnavailable):
        starting.stop(copied.layout, unreachable, force=True)
    assert inside.sessions().sessions


def test_a_store_is_made_only_when_that_is_asked_for(home: Home) -> None:
    with pytest.raises(StoreMissing):
        Archive.open(home.folder, in_process=True)
    assert not Path(home.layout.store).exists()
    assert not lock.held(home.layout.lock)
    with Archive.open(home.folder, in_process=True, create=True) as archive:
        assert archive.search("anything").status == "empty"


def test_a_store_outside_of_a_home_is_read_with_the_users_settings(
    tmp_path: Path, filled: Path, home: Home
) -> None:
    home.configure(disk={"free_bytes": 0}, redaction={"literals": ["xyzzy-42"]})
    copy = tmp_path / "backup"
    shutil.copytree(filled / "store", copy)
    with environment(UNABRIDGED_HOME=str(home.folder)):
        with pytest.raises(InvalidInput):
            Archive.open(copy)
        with Archive.open(copy, in_process=True, project="") as archive:
            assert len(archive.sessions().sessions) == 3
            beside = Path(archive.status().daemon["home"])
            until(lambda: archive.search("why did the flash write fail").status == "ok")
            noted = archive.note("the word is xyzzy-42", project="/nowhere")
            assert "xyzzy-42" not in archive.recall(noted.document).text
            with pytest.raises(StoreLocked):
                Archive.open(copy, in_process=True)
    assert not beside.exists()
    assert not Path(home.layout.store).exists()


def test_threads_share_one_archive(inside: Archive) -> None:
    def ask(number: int) -> list[str]:
        if number % 10 == 0:
            inside.note(f"note number {number}", project="/nowhere", searchable=False)
        return [hit.handle for hit in inside.grep("BMP390", scope="all").hits]

    wanted = ask(1)
    assert wanted
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(ask, range(60))) == [wanted] * 60
    assert inside.stats().totals["documents"] == 8 + 6


@pytest.mark.parametrize("end", ["cancel", "close"])
def test_a_call_is_ended_from_another_thread(inside: Archive, tmp_path: Path, end: str) -> None:
    long = transcript(tmp_path / "long.jsonl", SESSION, LONG, filler=200)
    begun = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        imported = threads.submit(lambda: inside.import_([long], on_progress=lambda _: begun.set()))
        assert begun.wait(PATIENCE)
        getattr(inside, end)()
        with pytest.raises(Cancelled):
            imported.result(PATIENCE)


def test_what_a_callback_raises_ends_the_import_and_is_raised(inside: Archive, tmp_path: Path) -> None:
    long = transcript(tmp_path / "long.jsonl", SESSION, LONG, filler=200)

    def enough(_: Mapping[str, Any]) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        inside.import_([long], on_progress=enough)
    with pytest.raises(DeadlineExceeded):
        inside.import_([long], timeout=0.05)
    assert inside.import_([transcript(tmp_path / "short.jsonl", "2" * 36, 3)]).searchable
    assert inside.verify().ok


def test_an_archive_may_be_closed_by_its_own_callback(inside: Archive, samples: Path, copied: Home) -> None:
    with pytest.raises(Cancelled):
        inside.import_([samples], verify=True, on_progress=lambda _: inside.close())
    assert not lock.held(copied.layout.lock)


def test_a_fault_is_an_error_of_the_tree(inside: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    services: Any = inside._engine._services  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setattr(type(services.index), "status", lambda _: 1 / 0)
    with pytest.raises(InternalError) as fault:
        inside.index()
    assert isinstance(fault.value.__cause__, ZeroDivisionError)


def test_a_closed_archive_says_so(inside: Archive) -> None:
    inside.close()
    inside.close()
    inside.cancel()
    for ask in (inside.status, inside.sessions, lambda: inside.search("flash"), lambda: inside.note("x")):
        with pytest.raises(ArchiveClosed):
            ask()
    with pytest.raises(ArchiveClosed):
        list(inside.read_original(CLAUDE))


def test_a_forked_child_leaves_the_store_to_its_parent(inside: Archive) -> None:
    child = os.fork()
    if not child:
        status = 1
        try:
            inside.close()
            inside.sessions()
        except ArchiveClosed:
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert inside.sessions().sessions
    assert inside.note("still here", project="/nowhere").document


def test_a_session_is_written_back_byte_for_byte(inside: Archive, samples: Path, tmp_path: Path) -> None:
    original = next(samples.rglob(f"{CLAUDE}.jsonl")).read_bytes()
    restored = inside.restore(CLAUDE, tmp_path / "back.jsonl")
    assert restored.identical
    assert (restored.bytes, restored.missing) == (len(original), 0)
    assert restored.path.read_bytes() == original == b"".join(inside.read_original(CLAUDE))
    with pytest.raises(WouldOverwrite):
        inside.restore(CLAUDE, tmp_path / "back.jsonl")
    assert inside.restore(CLAUDE, str(tmp_path / "back.jsonl"), overwrite=True).identical


def test_pages_tell_how_complete_they_are(inside: Archive) -> None:
    until(lambda: inside.index().status["state"] == "current")
    pages = inside.search_all("flash", limit=2)
    assert pages.page.status == "ok"
    first = pages.page
    assert len(list(pages)) > 2
    assert pages.page is not first
    assert pages.page.next == ""
    assert list(pages) == []
