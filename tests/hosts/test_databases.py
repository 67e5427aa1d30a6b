"""A host's database is read without the host noticing, whatever it does at that moment."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import killed_database
from unabridged.errors import TranscriptChanged, UnabridgedError
from unabridged.hosts.databases import opened

STARTS = 80  # with locks as sqlite3 takes them, about one in ten starts failed


def counted(path: Path, **how: bool) -> int:
    with opened(path, **how) as connection:
        (count,) = connection.execute("SELECT count(*) FROM said").fetchone()
    return count


def made(path: Path, mode: str = "wal") -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("CREATE TABLE said (word text)")
    connection.execute("INSERT INTO said VALUES ('one')")
    return connection


def test_a_host_that_was_killed_starts_again_however_often_its_database_is_read(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    command = [sys.executable, killed_database.__file__, str(path), str(STARTS)]
    most = reads = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
        while host.poll() is None:
            try:
                found = counted(path, locked=False)
            except UnabridgedError:
                continue  # not there yet, or just being written
            assert found >= most  # what was written stays to be read
            most, reads = found, reads + 1
        assert host.stdout is not None
        assert host.stdout.read().strip() == "0"
    assert reads
    assert counted(path, locked=False) == STARTS * killed_database.ROWS


def test_what_a_killed_host_left_in_its_log_is_read_without_touching_anything(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    subprocess.run(
        [sys.executable, killed_database.__file__, str(path), "2"], check=True, capture_output=True
    )
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert {"host.db-wal", "host.db-shm"} < set(before)
    assert counted(path) == 2 * killed_database.ROWS
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_host_may_turn_to_a_log_while_its_database_is_read(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    connection = made(path, "delete")
    connection.execute("PRAGMA busy_timeout = 0")

    def turned() -> None:
        with opened(path, locked=False) as reading:
            assert reading.execute("SELECT count(*) FROM said").fetchone() == (1,)
            assert connection.execute("PRAGMA journal_mode = wal").fetchone() == ("wal",)

    with pytest.raises(TranscriptChanged):
        turned()
    assert counted(path, locked=False) == 1
    connection.close()


def test_a_table_that_goes_while_a_database_is_read_is_a_change_and_no_other_form(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    connection = made(path, "delete")

    def renamed() -> None:
        with opened(path, locked=False) as reading:
            connection.execute("ALTER TABLE said RENAME TO told")
            reading.execute("SELECT count(*) FROM said")

    with pytest.raises(TranscriptChanged):
        renamed()
    connection.close()


@pytest.mark.parametrize("mode", ["wal", "delete"])
@pytest.mark.parametrize("locked", [True, False])
def test_a_text_that_is_none_costs_itself_only(tmp_path: Path, mode: str, locked: bool) -> None:
    path = tmp_path / "host.db"
    connection = made(path, mode)
    connection.execute("INSERT INTO said VALUES (CAST(x'61ff62' AS text))")
    with opened(path, locked=locked) as reading:
        assert reading.execute("SELECT word FROM said").fetchall() == [("one",), ("a\ufffdb",)]
    connection.close()


def test_a_host_that_waits_for_locks_cannot_write_between_two_looks_at_a_database_without_a_log(
    tmp_path: Path,
) -> None:
    path = tmp_path / "host.db"
    connection = made(path, "delete")
    connection.execute("PRAGMA busy_timeout = 0")
    with opened(path) as reading:
        reading.execute("SELECT count(*) FROM said").fetchone()
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("INSERT INTO said VALUES ('two')")
    connection.execute("INSERT INTO said VALUES ('two')")
    assert counted(path) == 2
    connection.close()
