"""Both sides of a comparison: a daemon on a home of its own, and the rival."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import alive
from unabridged.bench import home, importrival, processes, rival
from unabridged.bench.load import Load, settle
from unabridged.bench.passages import Passages
from unabridged.bench.transcripts import Transcripts
from unabridged.bench.wire import drive, frame, result
from unabridged.errors import DaemonUnavailable, InvalidInput, NoTranscripts


class Broken(Exception):
    """What goes wrong in a measurement."""


def test_a_home_and_its_daemon_are_gone_after_a_measurement_that_failed() -> None:
    seen: dict[str, Any] = {}

    def fail() -> None:
        with home.temporary() as place:
            place.start()
            seen.update(folder=place.folder, pid=place.pid, answer=place.call("ping"), pids=place.pids())
            raise Broken

    with pytest.raises(Broken):
        fail()
    assert seen["answer"]["pid"] == seen["pid"]
    assert not seen["folder"].exists()
    assert not [pid for pid in seen["pids"] if alive(pid)]


def test_no_setting_and_no_transcript_of_the_user_comes_into_a_measurement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNABRIDGED_READ_SCOPE", "session")
    with home.temporary() as place:
        place.start()
        status = place.call("status")
        assert status["daemon"]["tailing"] == {"on": False}
        assert status["daemon"]["home"] == str(place.data)
        with place.connect() as connection:
            assert connection.call("search", {"query": "x", "scope": "all"})["account"]["scope"] == "all"


def test_what_is_kept_stays_and_the_work_beside_it_goes(tmp_path: Path) -> None:
    with home.temporary(tmp_path / "kept") as place:
        (place.work / "scratch").write_text("x")
        (place.folder / "library.json").write_text("{}")
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["library.json"]


def test_what_the_daemon_says_is_wrong_is_raised() -> None:
    with home.temporary() as place:
        place.start()
        with pytest.raises(InvalidInput):
            place.call("recall", target="nonsense")


def test_the_rival_commits_every_turn_once_and_answers_each(tmp_path: Path) -> None:
    database = tmp_path / "rival.db"
    with rival.running(tmp_path, database) as other:
        connections = [other.connect() for _ in range(8)]
        frames = [frame("put", {"request": f"r{n}", "text": f"text {n}"}) for n in range(200)]
        answers: list[int] = []
        times = drive(connections, frames, check=lambda line: answers.append(result(line)["id"]))
        for connection in connections:
            connection.close()
    assert len(times) == 200
    assert all(seconds > 0 for seconds in times)
    assert sorted(answers) == list(range(1, 201))
    rows = sqlite3.connect(database).execute("SELECT request, text FROM turns ORDER BY id").fetchall()
    assert sorted(rows) == sorted((f"r{n}", f"text {n}") for n in range(200))


def test_the_rival_finds_what_it_indexed_and_fetches_by_key(tmp_path: Path) -> None:
    database = tmp_path / "rival.db"
    db = sqlite3.connect(database)
    db.executescript(
        "CREATE TABLE windows(id INTEGER PRIMARY KEY, text TEXT);"
        "CREATE VIRTUAL TABLE words USING fts5(text, content='windows', content_rowid='id');"
    )
    for number, text in enumerate(("alpha beta", "beta beta", "gamma"), 1):
        db.execute("INSERT INTO windows VALUES (?, ?)", (number, text))
        db.execute("INSERT INTO words(rowid, text) VALUES (?, ?)", (number, text))
    db.commit()
    db.close()
    with rival.running(tmp_path, database) as other, other.connect() as connection:
        hits = connection.call("search", {"match": '"beta"', "limit": 10})["hits"]
        assert hits == [[2, "beta beta"], [1, "alpha beta"]]
        assert connection.call("fetch", {"first": 2, "count": 2}) == {"text": "beta betagamma"}
        assert connection.call("ping", {}) == {"ok": True}


def test_a_rival_that_fails_ends_and_says_so(tmp_path: Path) -> None:
    database = tmp_path / "rival.db"
    sqlite3.connect(database).close()
    with rival.running(tmp_path, database) as other, other.connect() as connection:
        with pytest.raises(DaemonUnavailable):
            connection.call("search", {"match": '"x"', "limit": 1})
        assert other.process.wait(30) == 1


def test_driving_stops_when_it_is_told_to(tmp_path: Path) -> None:
    ping = frame("ping", {})
    with rival.running(tmp_path) as other:
        for count in (1, 3):
            connections = [other.connect() for _ in range(count)]
            sent: list[bytes] = []
            times = drive(
                connections, [ping] * 100, check=sent.append, go_on=lambda sent=sent: len(sent) < 10
            )
            assert len(times) == len(sent)
            assert 10 <= len(sent) <= 10 + count
            for connection in connections:
                connection.close()


def test_a_load_imports_until_it_is_withdrawn(writer: Passages) -> None:
    with home.temporary() as place:
        place.start()
        with Load(place, Transcripts(writer), 24 << 20) as load:
            assert load.running
            assert load.bytes_done > 0
        assert not load.running
        assert list(place.work.iterdir()) == []
        assert settle(place)["behind"] == 0
        assert place.call("stats")["totals"]["events"] > 0


def test_a_load_that_cannot_import_is_no_load(writer: Passages) -> None:
    with home.temporary() as place:
        place.start()
        load = Load(place, Transcripts(writer), 1 << 16)
        for path in place.work.rglob("*.jsonl"):
            path.unlink()
        with pytest.raises(NoTranscripts), load:
            pass


def test_the_rival_of_imports_keeps_the_text_of_every_block(tmp_path: Path) -> None:
    rows = [
        {"message": {"role": "user", "content": "plain"}, "uuid": "a"},
        {
            "message": {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "why"}, {"type": "text"}],
            }
        },
        {"message": {"role": "assistant", "content": [{"type": "tool_use", "input": {"command": "ls"}}]}},
        {"message": {"role": "user", "content": [{"type": "tool_result", "content": [{"text": "out"}]}]}},
        {"type": "progress"},
        [1, 2],
    ]
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = tmp_path / "db"
    folder.mkdir()
    facts = importrival.run(folder / "rival.db", [file])
    db = sqlite3.connect(folder / "rival.db")
    kept = [text for (text,) in db.execute("SELECT text FROM blocks ORDER BY id")]
    assert kept == ["plain", "why", '{"command": "ls"}', "out"]
    assert facts["blocks"] == 4
    assert facts["bytes"] == file.stat().st_size
    assert db.execute("SELECT count(*) FROM words WHERE words MATCH 'out'").fetchone()[0] == 1


@pytest.mark.skipif(not processes.available(), reason="this system does not tell private memory")
def test_private_memory_grows_by_what_is_held() -> None:
    before = processes.held([os.getpid()])
    block = bytearray(os.urandom(1 << 20) * 32)
    after = processes.held([os.getpid()])
    assert after["private"] - before["private"] > 16 << 20
    assert after["resident"] >= after["private"] > 0
    assert after["processes"] == 1
    assert len(block) == 32 << 20
    assert os.getpid() in processes.family(os.getppid())
