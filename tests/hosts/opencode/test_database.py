"""The host's database is read without disturbing the host, and what cannot be read says why."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.hosts.opencode.recorded import FORK, MAIN, SIDE, SIZE, Hand, database, rows
from unabridged.errors import NotATranscript, PathNotFound, PathUnreadable, TranscriptChanged
from unabridged.hosts.opencode import HOST


def test_sessions_are_listed_with_a_version_that_changes_with_them(tmp_path: Path) -> None:
    path = database(tmp_path)
    before = HOST.streams(path)
    assert [stream.name for stream in before] == sorted([MAIN, SIDE, FORK])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE event_sequence SET seq = seq + 1 WHERE aggregate_id = ?", (MAIN,))
    connection.close()
    changed = [new.name for new, old in zip(HOST.streams(path), before, strict=True) if new != old]
    assert changed == [MAIN]


def test_a_host_that_does_not_count_its_changes_still_has_versions(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.connection.execute("DROP TABLE event_sequence")
    versions = [HOST.streams(hand.path)]
    hand.message("msg_1", "user")
    versions.append(HOST.streams(hand.path))
    hand.part("msg_1", "prt_1", "text", text="a")
    versions.append(HOST.streams(hand.path))
    hand.part("msg_1", "prt_1", "text", text="b")
    versions.append(HOST.streams(hand.path))
    assert len({version for ((_, version),) in map(_pairs, versions)}) == 4


def _pairs(streams: object) -> list[tuple[str, str]]:
    assert isinstance(streams, list)
    return [(stream.name, stream.version) for stream in streams]


def test_reading_leaves_no_file_behind_and_changes_none(tmp_path: Path) -> None:
    path = database(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    rows(path, MAIN)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("missing", [("-shm",), ("-wal", "-shm")], ids=("no index", "no log"))
def test_a_copy_without_the_files_beside_it_is_read(tmp_path: Path, missing: tuple[str, ...]) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.message("msg_1", "user")
    if "-wal" in missing:
        hand.connection.execute("PRAGMA wal_checkpoint(truncate)")
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in tmp_path.glob("opencode.db*"):
        if not file.name.endswith(missing):
            shutil.copy(file, copy)
    assert len(rows(copy / "opencode.db", hand.session)[0]) == 2
    hand.connection.close()


def test_rows_that_stand_only_in_the_log_are_read_while_the_host_writes(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.connection.execute("PRAGMA wal_autocheckpoint = 0")
    hand.message("msg_1", "user")
    hand.connection.execute("BEGIN IMMEDIATE")
    hand.message("msg_2", "user")
    lines, state = hand.look()
    assert len(lines) == 2
    hand.connection.execute("COMMIT")
    assert len(hand.look(state)[0]) == 2


# https://github.com/anomalyco/opencode/issues/47566 and /21215: locks on the host's database end its prompts.
def test_the_host_can_write_while_a_session_is_read(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.message("msg_1", "user")
    _, state = hand.look()
    hand.connection.execute("PRAGMA busy_timeout = 0")
    hand.message("msg_2", "user")
    assert hand.connection.execute("PRAGMA wal_checkpoint(truncate)").fetchone()[0] == 0
    assert len(hand.look(state)[0]) == 2


def test_a_locked_database_says_to_try_again(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.connection.execute("PRAGMA journal_mode = delete")
    hand.connection.execute("BEGIN EXCLUSIVE")
    hand.connection.execute("UPDATE session SET title = 'another'")
    with pytest.raises(TranscriptChanged) as caught:
        HOST.streams(hand.path)
    assert caught.value.retryable
    with pytest.raises(TranscriptChanged):
        hand.look()
    hand.connection.execute("ROLLBACK")
    assert HOST.streams(hand.path)


def test_what_is_no_database_of_the_host_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE session (id text)")
    connection.close()
    with pytest.raises(NotATranscript):
        HOST.streams(other)
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\x00" + b"x" * 4096)
    with pytest.raises((NotATranscript, PathUnreadable)):
        HOST.streams(broken)
    with pytest.raises(PathNotFound):
        HOST.streams(tmp_path / "missing.db")


def test_a_database_whose_pages_are_damaged_raises_a_typed_error(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    for number in range(50):
        hand.message(f"msg_{number:03d}", "user", text="x" * 2000)
    hand.connection.execute("PRAGMA journal_mode = delete")
    hand.connection.close()
    data = bytearray(hand.path.read_bytes())
    size = len(data)
    data[size // 2 :] = b"\xff" * (size - size // 2)
    hand.path.write_bytes(data)
    with pytest.raises((NotATranscript, PathUnreadable)):
        hand.look()


def test_the_recorded_session_has_the_size_that_the_host_shows(tmp_path: Path) -> None:
    path = database(tmp_path)
    assert {session: len(rows(path, session)[0]) for session in SIZE} == SIZE
