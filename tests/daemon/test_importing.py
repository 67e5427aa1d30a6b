"""Imports through real workers: what is found, read, admitted, refused, and accounted for."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.importer import Bench
from tests.daemon.living import SESSION, transcript, until
from tests.service.desk import Desk
from unabridged.archive.admission import Append, plan_append
from unabridged.archive.ingest import MAX_NAME
from unabridged.archive.restore import read_original
from unabridged.archive.sessions import list_sessions, origins, origins_everywhere
from unabridged.daemon.census import find
from unabridged.daemon.importrun import ImportRun
from unabridged.daemon.jobs import ReadJob
from unabridged.daemon.known import Known
from unabridged.daemon.messages import Find
from unabridged.errors import (
    Cancelled,
    DiskLow,
    InvalidCursor,
    InvalidInput,
    LimitExceeded,
    NotATranscript,
    NotFound,
    NoTranscripts,
    PathNotFound,
    PathUnreadable,
)
from unabridged.hosts.contract import Candidate
from unabridged.schema.ids import Micros
from unabridged.schema.records import GENERATION, ORIGIN
from unabridged.service.compose import HOSTS
from unabridged.service.requests import ImportAnswer
from unabridged.store.contract import Plan

OTHER = "99999999-2222-4333-8444-555555555555"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


def test_an_import_accounts_for_every_line(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5)
    with path.open("a") as file:
        file.write("this is no json\n\n")
    answer = bench.run(path)
    assert answer.lines == {"read": 12, "new": 11, "known": 0, "unreadable": 1}
    assert (answer.sessions, answer.events, answer.files, answer.skipped) == (1, 10, 1, 0)
    assert answer.bytes == path.stat().st_size
    assert [(item["path"], item["line"], item["code"]) for item in answer.problems] == [
        (str(path), 11, "not-json")
    ]
    assert answer.searchable
    assert len(bench.index.waited) == 1
    assert bench.violations() == []


@pytest.mark.parametrize("size", [100_000, (8 << 20) + 100])
def test_a_first_line_that_is_garbage_costs_no_more_than_itself_however_long_it_is(
    bench: Bench, tmp_path: Path, size: int
) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5)
    path.write_bytes(b"garbage " * (size // 8) + b"\n" + path.read_bytes())
    answer = bench.run(path)
    assert (answer.sessions, answer.events, answer.files) == (1, 10, 1)
    assert [(item["line"], item["code"]) for item in answer.problems] == [(1, "not-json")]
    assert bench.violations() == []
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"garbage " * (size // 8) + b'\n{"some": "thing"}\n')
    with pytest.raises(NotATranscript):
        bench.run(other)


def test_an_unchanged_file_is_skipped_and_a_grown_one_read_from_where_it_was_left(
    bench: Bench, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5)
    bench.run(path)
    again = bench.run(path)
    assert (again.skipped, again.bytes, again.lines["read"], again.sessions) == (1, 0, 0, 1)
    before = path.stat().st_size
    transcript(path, SESSION, 2, first=5)
    grown = bench.run(path)
    assert (grown.bytes, grown.events, grown.lines["read"]) == (path.stat().st_size - before, 4, 4)
    assert bench.events() == {SESSION: 14}


def test_a_file_that_is_as_it_was_is_not_even_opened(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5)
    bench.run(tmp_path)
    request = Find([str(tmp_path)], list(HOSTS), {}, "/", "linux", stats=bench.known.stats())
    path.chmod(0)
    opened: list[Path] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "unabridged.daemon.census._is_of", lambda host, path, named: opened.append(path) or False
        )
        pages = list(find(request, HOSTS))
    assert [file.candidate.path for page in pages for file in page.files] == [str(path)]
    assert opened == []


def test_marks_are_the_same_when_they_are_read_from_the_store(bench: Bench, tmp_path: Path) -> None:
    for number in range(3):
        path = transcript(tmp_path / f"{number}.jsonl", SESSION.replace("1111", f"{number}222", 1), 2)
        bench.run(path)
        path.unlink()
        bench.run(transcript(path, SESSION.replace("1111", f"{number}222", 1), 3))
    again = Known(bench.store)
    for origin in bench.known.all():
        assert again.mark(origin.host, origin.path) == bench.known.mark(origin.host, origin.path)
    assert again.stats() == bench.known.stats()
    assert len(again.stats()) == 3


def test_a_rewritten_file_becomes_a_new_generation_and_the_old_one_stays(
    bench: Bench, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5)
    bench.run(path)
    path.unlink()
    transcript(path, SESSION, 3, words="changed")
    answer = bench.run(path)
    assert answer.events == 6
    with bench.store.snapshot() as reader:
        origin = bench.known.all()[0]
        generations = reader.scan(GENERATION, (origin.project, origin.origin))
    assert [(item.number, item.lines) for item in generations] == [(1, 10), (2, 6)]
    assert bench.violations() == []


def test_verify_finds_a_rewrite_of_equal_size_and_time(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5, words="aaaa")
    bench.run(path)
    state = path.stat()
    with path.open("r+b") as file:
        data = file.read().replace(b"aaaa3", b"bbbb3")
        file.seek(0)
        file.write(data)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert bench.run(path).skipped == 1
    verified = bench.run(path, verify=True)
    assert (verified.skipped, verified.events, verified.sessions) == (0, 2, 1)
    assert bench.run(path, verify=True).lines["read"] == 0


def test_a_dry_run_lists_what_it_would_read_and_changes_nothing(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5)
    answer = bench.run(tmp_path, dry_run=True)
    assert answer.found == [
        {
            "path": str(path),
            "host": "claude-code",
            "kind": "file",
            "size": path.stat().st_size,
            "action": "new",
        }
    ]
    assert (answer.files, answer.events, bench.events()) == (1, 0, {})
    bench.run(path)
    assert bench.run(path, dry_run=True).found[0]["action"] == "unchanged"


def test_without_paths_every_hosts_own_place_is_looked_at(bench: Bench, tmp_path: Path) -> None:
    transcript(bench.home / ".claude" / "projects" / "p" / f"{SESSION}.jsonl", SESSION, 1)
    moved = tmp_path / "moved"
    transcript(moved / "projects" / "p" / f"{OTHER}.jsonl", OTHER, 1)
    assert bench.run().hosts == {"claude-code": 1}
    assert bench.run(env={"CLAUDE_CONFIG_DIR": str(moved)}).events == 2
    assert bench.run(host="codex").files == 0
    assert set(bench.events()) == {SESSION, OTHER}


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda path: None, PathNotFound),
        (lambda path: path.mkdir(), NoTranscripts),
        (lambda path: path.write_bytes(bytes(range(256)) * 40), NotATranscript),
        (lambda path: path.write_bytes(b""), NotATranscript),
        (lambda path: os.mkfifo(path), NotATranscript),
        (lambda path: path.symlink_to(path), PathUnreadable),
    ],
)
def test_a_path_with_nothing_to_read_is_a_typed_error(
    bench: Bench, tmp_path: Path, make: Callable[[Path], Any], error: type[Exception]
) -> None:
    path = tmp_path / "it.jsonl"
    make(path)
    with pytest.raises(error) as caught:
        bench.run(path)
    assert caught.value.details["path"] == str(path)  # pyright: ignore[reportAttributeAccessIssue]


def test_a_file_whose_name_is_not_utf8_is_a_problem_and_no_more(bench: Bench, tmp_path: Path) -> None:
    good = transcript(tmp_path / "t.jsonl", SESSION, 2)
    odd = os.fsencode(tmp_path) + b"/x\xff.jsonl"
    try:
        Path(os.fsdecode(odd)).write_bytes(good.read_bytes())
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    answer = bench.run(tmp_path)
    assert answer.events == 4
    assert [(item["path"], item["code"]) for item in answer.problems] == [
        (str(tmp_path / "x\ufffd.jsonl"), "path-unreadable")
    ]


def test_a_session_keeps_its_original_when_another_one_takes_its_place(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 3)
    first = path.read_bytes()
    bench.run(path)
    path.unlink()
    transcript(path, OTHER, 4)
    bench.run(path)
    with bench.store.snapshot() as reader:
        kept = {
            session.host_session: [
                b"".join(read_original(reader, info.generation)) for info in origins(reader, session)
            ]
            for session in list_sessions(reader)
        }
    assert kept == {SESSION: [first], OTHER: [path.read_bytes()]}


def test_what_a_rewritten_file_held_before_is_given_back(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 5)
    contents = [path.read_bytes()]
    bench.run(path)
    path.write_bytes(b"".join(contents[0].splitlines(keepends=True)[:4]))
    contents.append(path.read_bytes())
    bench.run(path)
    desk = Desk()
    desk.services = replace(desk.services, store=bench.store, hosts=HOSTS)
    try:
        newest = desk.call("original", session=SESSION)
        assert (newest.generation, newest.generations) == (2, [1, 2])
        given = [desk.call("original", session=SESSION, generation=number) for number in (1, 2)]
        assert [base64.b64decode(page.data) for page in given] == contents
        with pytest.raises(NotFound, match="no content of that number"):
            desk.call("original", session=SESSION, generation=3)
    finally:
        desk.store.close()


def test_a_session_of_two_folders_keeps_the_originals_of_both(bench: Bench, tmp_path: Path) -> None:
    one = transcript(tmp_path / "one.jsonl", SESSION, 3)
    two = transcript(tmp_path / "two.jsonl", SESSION, 4, folder="/elsewhere/project")
    bench.run(one, two)
    with bench.store.snapshot() as reader:
        sessions = list_sessions(reader)
        kept = [
            {b"".join(read_original(reader, info.generation)) for info in origins_everywhere(reader, session)}
            for session in sessions
        ]
    assert kept == [{one.read_bytes(), two.read_bytes()}] * 2


def test_a_session_of_two_folders_is_shown_with_what_it_has_in_both(bench: Bench, tmp_path: Path) -> None:
    bench.run(
        transcript(tmp_path / "one.jsonl", SESSION, 3),
        transcript(tmp_path / "two.jsonl", SESSION, 4, folder="/elsewhere/project"),
    )
    desk = Desk()
    desk.services = replace(desk.services, store=bench.store, hosts=HOSTS)
    try:
        whole = desk.call("show", target=SESSION)
        assert (len(whole.events), whole.next) == (6 + 8, "")
        pages, cursor = list[dict[str, Any]](), ""
        while True:
            page = desk.call("show", target=SESSION, limit=3, cursor=cursor)
            assert len(page.events) <= 3
            pages += page.events
            cursor = page.next
            if not cursor:
                break
        assert pages == whole.events
        small = desk.call("show", target=SESSION, max_bytes=1)
        assert len(small.events) == 1
        for event in (whole.events[1], whole.events[-1]):
            alone = desk.call("show", target=event["event"])
            assert [item["text"] for item in alone.events] == [event["text"]]
        for cursor in (".", "1.", "x.1", "1.x", "1.2.3", "9" * 30):
            with pytest.raises(InvalidCursor):
                desk.call("show", target=SESSION, cursor=cursor)
    finally:
        desk.store.close()


def test_a_session_whose_name_is_very_long_is_kept_under_its_beginning(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "a.jsonl", SESSION, 2)
    transcript(path, "q" * 5_000, 1)
    transcript(tmp_path / "b.jsonl", "r" * 5_000, 1)
    answer = bench.run(tmp_path)
    assert (answer.lines, answer.problems) == ({"read": 8, "new": 8, "known": 0, "unreadable": 0}, [])
    assert bench.events() == {SESSION: 4, "q" * MAX_NAME: 2, "r" * MAX_NAME: 2}
    assert bench.violations() == []


def test_what_the_store_does_not_take_of_a_file_does_not_end_the_import_of_others(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = transcript(tmp_path / "a.jsonl", OTHER, 2)
    transcript(tmp_path / "b.jsonl", SESSION, 2)

    def plan(append: Append, now: Micros) -> Plan:
        if append.origin.path == str(bad):
            raise LimitExceeded("a key is too long")
        return plan_append(append, now)

    monkeypatch.setattr("unabridged.daemon.jobs.plan_append", plan)
    answer = bench.run(tmp_path)
    assert [(item["path"], item["code"]) for item in answer.problems] == [(str(bad), "limit-exceeded")]
    assert bench.events() == {SESSION: 4}


def test_a_bad_path_among_good_ones_is_a_problem_and_no_more(bench: Bench, tmp_path: Path) -> None:
    good = transcript(tmp_path / "t.jsonl", SESSION, 2)
    answer = bench.run(tmp_path / "none", good)
    assert answer.events == 4
    assert [(item["path"], item["code"]) for item in answer.problems] == [
        (str(tmp_path / "none"), "path-not-found")
    ]


def test_a_file_that_is_named_twice_is_read_once(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 2)
    (tmp_path / "again.jsonl").symlink_to(path)
    answer = bench.run(tmp_path, path, tmp_path)
    assert (answer.files, answer.events, answer.problems) == (1, 4, [])


def test_a_session_of_a_database_is_given_back_as_a_file_of_its_host(bench: Bench, tmp_path: Path) -> None:
    bench.run(database(tmp_path))
    desk = Desk()
    desk.services = replace(desk.services, store=bench.store, hosts=HOSTS)
    try:
        for name in bench.events():
            whole, offset = b"", 0
            while True:
                page = desk.call("original", session=name, offset=offset, limit=1_000)
                whole += base64.b64decode(page.data)
                offset = len(whole)
                if page.done:
                    break
            assert json.loads(whole)["info"]["id"] == name
            assert page.size == len(whole)
    finally:
        desk.store.close()


def database(folder: Path) -> Path:
    """Make a database of one host from its recording."""
    path = folder / "opencode.db"
    script = Path(__file__).parent.parent / "hosts" / "fixtures" / "opencode" / "opencode.sql"
    with sqlite3.connect(path) as connection:
        connection.executescript(script.read_text())
    connection.close()
    return path


def test_a_host_that_does_not_exist_is_refused(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no host"):
        bench.run(tmp_path, host="nobody")


def test_problems_are_listed_up_to_a_bound_and_counted_beyond(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unabridged.daemon.importrun.MAX_PROBLEMS", 3)
    path = transcript(tmp_path / "t.jsonl", SESSION, 1)
    with path.open("a") as file:
        file.write("broken\n" * 10)
    answer = bench.run(path)
    assert (len(answer.problems), answer.problems_omitted, answer.lines["unreadable"]) == (3, 7, 10)


def test_too_little_room_on_the_disk_ends_an_import_with_what_was_read(bench: Bench, tmp_path: Path) -> None:
    first = transcript(tmp_path / "a" / "t.jsonl", SESSION, 2)
    second = transcript(tmp_path / "b" / "t.jsonl", OTHER, 2)
    bench.run(first)
    bench.low.append(DiskLow(free=1, limit=2))
    with pytest.raises(DiskLow):
        bench.run(second)
    assert bench.events() == {SESSION: 4}
    bench.low.clear()
    assert bench.run(second).events == 4


@pytest.mark.slow
def test_an_import_whose_caller_has_gone_stops_at_a_batch_and_goes_on_later(
    bench: Bench, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 2_500, filler=100)
    total = 5_000

    def leave() -> None:
        if bench.events().get(SESSION):
            raise Cancelled

    with pytest.raises(Cancelled):
        bench.run(path, check=leave)
    admitted = bench.events()[SESSION]
    assert 0 < admitted < total
    assert not bench.importing.busy
    answer = bench.run(path)
    assert answer.events == total - admitted
    assert bench.violations() == []


def test_imports_of_one_file_at_once_admit_it_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, workers=2)
    try:
        path = transcript(tmp_path / "t.jsonl", SESSION, 500, filler=20)
        answers: list[ImportAnswer] = []
        threads = [threading.Thread(target=lambda: answers.append(bench.run(path))) for _ in range(4)]
        for thread in threads:
            thread.start()
        bench.importing.notify(str(path), "claude-code")
        for thread in threads:
            thread.join()
        assert sum(answer.events for answer in answers) == 1_000 or bench.events() == {SESSION: 1_000}
        until(lambda: not bench.importing.busy)
        assert bench.events() == {SESSION: 1_000}
        assert [item for answer in answers for item in answer.problems] == []
        assert bench.violations() == []
    finally:
        bench.close()


def test_a_notified_transcript_is_read_in_the_background(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 2)
    bench.importing.notify(str(path), "")
    until(lambda: bench.events() == {SESSION: 4})
    transcript(path, SESSION, 1, first=2)
    bench.importing.notify(str(path), "claude-code")
    until(lambda: bench.events() == {SESSION: 6})
    assert bench.violations() == []


def test_the_turn_of_a_transcript_that_is_still_written_stays_open(tmp_path: Path) -> None:
    bench = Bench(tmp_path, idle_seconds=3600.0)
    try:
        path = transcript(tmp_path / "t.jsonl", SESSION, 2)
        assert bench.run(path).documents == 1
        assert bench.seen[-1][1].open
        os.utime(path, (1, 1))
        bench.importing.read("claude-code", Candidate(str(path), "file"))
        until(lambda: len(bench.seen) == 2)
        assert not bench.seen[-1][1].open
    finally:
        bench.close()


def test_a_file_that_grows_while_it_is_read_is_read_to_the_size_it_had(bench: Bench, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 10)
    stop = threading.Event()

    def grow() -> None:
        for number in range(10, 600):
            if stop.wait(0.002):
                return
            transcript(path, SESSION, 1, first=number)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        for _ in range(5):
            bench.run(path)
    finally:
        stop.set()
        writer.join()
    bench.run(path)
    lines = path.read_bytes().count(b"\n")
    assert bench.events() == {SESSION: lines}
    assert bench.violations() == []


def test_sessions_in_a_database_are_read_and_skipped_when_they_did_not_change(
    bench: Bench, tmp_path: Path
) -> None:
    path = database(tmp_path)
    answer = bench.run(path)
    assert answer.problems == []
    assert answer.hosts["opencode"] == answer.files > 0
    assert answer.events > 0
    with bench.store.snapshot() as reader:
        kinds = {reader.get(ORIGIN, (item.project, item.origin)).kind for item in bench.known.all()}  # type: ignore[union-attr]
    assert kinds == {"stream"}
    again = bench.run(path)
    assert (again.skipped, again.events) == (answer.files, 0)
    assert bench.violations() == []


def test_what_is_asked_of_a_worker_that_breaks_is_an_error_of_its_own_file(
    bench: Bench, tmp_path: Path
) -> None:
    good, bad = transcript(tmp_path / "good.jsonl", SESSION, 1), transcript(tmp_path / "bad.jsonl", OTHER, 1)
    job = ReadJob(
        bench.importing._ground,
        "no such host",
        Candidate(str(bad), "file"),
        ImportRun(),
        lambda _: None,
    )
    job.account.pending = 1
    bench.importing._pool.submit(job, 0)
    until(lambda: job.account.done == 1)
    assert [json.loads(json.dumps(item))["code"] for item in job.account._problems] == ["internal-error"]
    assert bench.run(good).events == 2
