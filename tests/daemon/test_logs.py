"""The log stays small, is one JSON object a line, and holds no content."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from unabridged.daemon import logs
from unabridged.daemon.paths import ERRORS
from unabridged.errors import DiskLow
from unabridged.gateway import journal


def test_every_record_is_one_json_object_on_its_line(tmp_path: Path) -> None:
    log = logs.Log(str(tmp_path / "logs"), "info")
    log.info("ready", pid=3, odd=b"\x01", other=object())
    log.warning("two\nlines", text="a\nb")
    log.write("debug", "too quiet")
    log.close()
    log.info("after the end")
    records = [json.loads(line) for line in (tmp_path / "logs" / logs.NAME).read_text().splitlines()]
    assert [(record["event"], record["level"]) for record in records] == [
        ("ready", "info"),
        ("two\nlines", "warning"),
    ]
    assert stat.S_IMODE((tmp_path / "logs" / logs.NAME).stat().st_mode) == 0o600


def test_all_files_together_stay_within_their_bound(tmp_path: Path) -> None:
    log = logs.Log(str(tmp_path / "logs"), most=10_000)
    for number in range(2_000):
        log.info("event", number=number, filler="x" * 100)
    log.close()
    files = list((tmp_path / "logs").iterdir())
    assert len(files) == logs.FILES
    assert sum(item.stat().st_size for item in files) <= 10_000 * logs.FILES
    last = logs.tail(str(tmp_path / "logs"), 100)
    assert [json.loads(line)["number"] for line in last] == list(range(1_900, 2_000))


def test_a_log_that_cannot_begin_its_next_file_writes_into_no_other_and_goes_on_later(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    log = logs.Log(str(folder), most=300, files=2)
    log.info("event", filler="x" * 100)
    (folder / f"{logs.NAME}.1").mkdir()  # so that the file cannot be renamed
    log.info("lost", filler="x" * 100)
    with (tmp_path / "other").open("w"):  # may have got the number that the log's file had
        log.info("lost", filler="x" * 100)
    assert (tmp_path / "other").read_bytes() == b""
    (folder / f"{logs.NAME}.1").rmdir()
    log.info("again")
    log.close()
    assert [json.loads(line)["event"] for line in logs.tail(str(folder), 10)] == ["event", "again"]


def test_several_writers_of_one_log_lose_no_record_that_there_is_room_for(tmp_path: Path) -> None:
    writers = [logs.Log(str(tmp_path / "logs"), most=10_000) for _ in range(3)]
    for number in range(1_500):
        writers[number % 3].info("event", number=number, filler="x" * 100)
    for log in writers:
        log.close()
    files = sorted((tmp_path / "logs").iterdir())
    assert len(files) == logs.FILES
    assert all(item.stat().st_size <= 10_000 for item in files)
    kept = sorted(json.loads(line)["number"] for item in files for line in item.read_text().splitlines())
    assert kept == list(range(kept[0], 1_500))


def test_the_bound_of_the_real_sizes_is_what_the_design_allows() -> None:
    gateway = journal.FILES * journal.FILE_BYTES
    assert logs.FILES * logs.MAX_FILE_BYTES + 2 * logs.MAX_STREAM_BYTES + gateway <= 24 << 20


def test_a_record_that_is_too_long_keeps_its_name_and_size(tmp_path: Path) -> None:
    log = logs.Log(str(tmp_path / "logs"))
    log.info("event", filler="x" * 100_000)
    log.close()
    record = json.loads((tmp_path / "logs" / logs.NAME).read_text())
    assert record["event"] == "event"
    assert record["too_long"] > 100_000
    assert "filler" not in record


def test_an_exception_leaves_its_type_and_places_but_not_its_text(tmp_path: Path) -> None:
    log = logs.Log(str(tmp_path / "logs"))
    try:
        json.loads('{"a secret of the user": ')
    except ValueError as error:
        log.failure("broken", ValueError("a secret of the user"))
        log.failure("broken", error)
    log.failure("low", DiskLow(free=1))
    log.close()
    text = (tmp_path / "logs" / logs.NAME).read_text()
    assert "secret" not in text
    records = [json.loads(line) for line in text.splitlines()]
    assert records[1]["type"] == "JSONDecodeError"
    assert any("test_logs.py" in place for place in records[1]["places"])
    assert records[2]["code"] == "disk-low"


def test_a_log_that_is_there_is_continued(tmp_path: Path) -> None:
    for number in range(2):
        log = logs.Log(str(tmp_path / "logs"))
        log.info("start", number=number)
        log.close()
    assert [json.loads(line)["number"] for line in logs.tail(str(tmp_path / "logs"), 10)] == [0, 1]


def test_the_captured_error_stream_is_cut_when_it_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MAX_STREAM_BYTES", 100)
    stream = tmp_path / ERRORS
    assert not logs.trim_stream(str(tmp_path))
    stream.write_bytes(b"x" * 100)
    assert not logs.trim_stream(str(tmp_path))
    stream.write_bytes(b"x" * 101)
    assert logs.trim_stream(str(tmp_path))
    assert stream.read_bytes() == b""
