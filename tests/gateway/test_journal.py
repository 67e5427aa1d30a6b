"""The gateway's log where it can be written, and where it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unabridged.gateway import journal as journal_module
from unabridged.gateway.journal import OPEN_SECONDS, UNWRITABLE, Journal


def test_a_log_that_could_not_be_made_is_made_once_that_is_possible(tmp_path: Path) -> None:
    folder, now = tmp_path / "logs", [100.0]
    folder.write_text("no folder")
    journal = Journal(str(folder), clock=lambda: now[0])
    assert journal.unwritable == UNWRITABLE
    journal.fault("lost")
    folder.unlink()
    journal.write("too early")
    assert journal.unwritable == UNWRITABLE
    now[0] += OPEN_SECONDS
    journal.write("kept")
    assert journal.unwritable == ""
    journal.close()
    records = [json.loads(line) for line in (folder / "gateway.log").read_text().splitlines()]
    assert [record["event"] for record in records] == ["kept"]


def test_a_log_that_cannot_be_written_any_more_says_so_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FILE_BYTES", 1)  # each record begins a file
    folder = tmp_path / "logs"
    folder.mkdir(mode=0o700)
    journal = Journal(str(folder))
    journal.write("first")
    assert journal.trouble is None
    (folder / "gateway.log.1").unlink()
    (folder / "gateway.log.1").mkdir()
    (folder / "gateway.log.1" / "in the way").touch()
    journal.write("it cannot begin the next file")
    assert journal.unwritable == UNWRITABLE
    (folder / "gateway.log.1" / "in the way").unlink()
    (folder / "gateway.log.1").rmdir()
    journal.write("last")
    assert journal.unwritable == ""
    journal.close()
