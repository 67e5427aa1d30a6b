"""Exports and histories through real workers: once each, nothing of a damaged one, what is gone stays."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.importer import Bench
from tests.daemon.living import SESSION, transcript
from tests.hosts.aider.written import FIRST, SECOND, History
from tests.hosts.chatgpt.written import Talk, archive, document, talk
from tests.hosts.claude_ai import written as claude
from unabridged.archive.sessions import list_sessions
from unabridged.errors import DamagedExport, EncryptedExport
from unabridged.schema.records import DOCUMENT, EVENT

LONG_AGO = 1_600_000_000  # seconds; nobody has written since


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


def titles(bench: Bench) -> list[str]:
    with bench.store.snapshot() as reader:
        return sorted(item.title for item in list_sessions(reader))


def turns(bench: Bench) -> list[str]:
    """The titles of documents in order."""
    with bench.store.snapshot() as reader:
        project = list_sessions(reader)[0].project
        return [item.title for item in reader.scan(DOCUMENT, (project,), limit=100)]


def test_an_export_is_archived_once_whatever_its_form_and_place(bench: Bench, tmp_path: Path) -> None:
    made, other = talk(), Talk("other", "Second talk")
    other.say("user", "hello")
    first = bench.run(archive(tmp_path / "export.zip", [made, other]))
    assert (first.sessions, first.events, first.lines["unreadable"]) == (2, 15, 0)
    again = bench.run(tmp_path / "export.zip")
    assert (again.skipped, again.events, again.lines["read"]) == (2, 0, 0)
    elsewhere = bench.run(document(tmp_path / "conversations.json", [made, other]))
    assert (elsewhere.events, elsewhere.documents, elsewhere.lines["known"]) == (0, 0, 13)
    assert bench.events() == {made.name: 14, "other": 1}
    assert titles(bench) == ["Rust lifetimes", "Second talk"]
    assert bench.violations() == []


def test_a_newer_export_adds_what_is_new_keeps_edits_beside_and_what_is_gone(
    bench: Bench, tmp_path: Path
) -> None:
    made, gone = talk(), Talk("gone", "Deleted later")
    gone.say("user", "soon gone")
    bench.run(archive(tmp_path / "may.zip", [made, gone]))
    made.mapping["answer-4"]["message"]["content"]["parts"] = ["Because of two mutable borrows."]
    made.title = "Rust closures"
    made.say("user", "Thanks.", "thanks")
    newer = bench.run(archive(tmp_path / "june.zip", [made]))
    assert newer.events == 2
    assert bench.events() == {made.name: 16, "gone": 1}
    assert titles(bench) == ["Deleted later", "Rust closures"]
    with bench.store.snapshot() as reader:
        (project,) = {item.project for item in list_sessions(reader)}
        natives = {event.native for event in reader.scan(EVENT, (project,), limit=100)}
    assert {"answer-4", "thanks"} <= natives
    assert bench.violations() == []


@pytest.mark.parametrize("kind", ["torn document", "torn archive", "encrypted archive"])
def test_nothing_of_an_export_that_is_not_whole_is_archived(kind: str, bench: Bench, tmp_path: Path) -> None:
    talks = [Talk(f"talk-{number}") for number in range(9)]
    for made in talks:
        made.say("user", "hello")
    if kind == "torn document":
        path = document(tmp_path / "conversations.json", talks)
        path.write_bytes(path.read_bytes()[:-2])
    else:
        path = archive(tmp_path / "export.zip", talks)
        data = bytearray(path.read_bytes())
        if kind == "torn archive":
            del data[-50:]
        else:
            at = data.find(b"PK\x01\x02")
            while at >= 0:
                data[at + 8] |= 1
                at = data.find(b"PK\x01\x02", at + 4)
        path.write_bytes(data)
    with pytest.raises(EncryptedExport if kind.startswith("encrypted") else DamagedExport):
        bench.run(path)
    assert bench.events() == {}


def test_a_folder_of_exports_is_read_with_the_reason_for_each_that_cannot_be(
    bench: Bench, tmp_path: Path
) -> None:
    folder = tmp_path / "Downloads"
    folder.mkdir()
    archive(folder / "chatgpt.zip", [talk()])
    claude.archive(folder / "claude.zip", [claude.chat()])
    (folder / "torn.zip").write_bytes((folder / "chatgpt.zip").read_bytes()[:300])
    (folder / "photos.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    answer = bench.run(folder)
    assert answer.hosts == {"chatgpt": 1, "claude-ai": 3}
    assert [(Path(item["path"]).name, item["code"]) for item in answer.problems] == [
        ("torn.zip", "damaged-export")
    ]


def test_histories_of_known_projects_are_found(bench: Bench, tmp_path: Path) -> None:
    project = tmp_path / "project"
    made = History(project).start(FIRST).user("Fix it.").model("Done.")
    os.utime(made.path, (LONG_AGO, LONG_AGO))
    bench.home.mkdir()
    assert bench.run().files == 0
    path = transcript(tmp_path / "t.jsonl", SESSION, 1)
    lines = [json.loads(line) | {"cwd": str(project)} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    bench.run(path)
    answer = bench.run()
    assert answer.hosts == {"aider": 1}
    assert answer.events == 3
    with bench.store.snapshot() as reader:
        assert len({item.project for item in list_sessions(reader)}) == 1
    assert bench.violations() == []


def test_the_turn_of_a_session_of_aiders_stays_open_while_its_history_is_written(tmp_path: Path) -> None:
    made = History(tmp_path / "project").start(FIRST).user("Fix it.")
    bench = Bench(tmp_path, idle_seconds=3600.0)
    try:
        bench.run(made.path)
        open_turns = [report.open for _, report in bench.seen]
        made.model("Done.").tool("Applied edit to a.py")
        bench.run(made.path)
        made.start(SECOND).user("Next.").model("Yes.")
        os.utime(made.path, (LONG_AGO, LONG_AGO))
        bench.run(made.path)
        assert open_turns == [True]
        assert turns(bench) == ["", "Fix it.", "", "Next."]
        assert bench.violations() == []
    finally:
        bench.close()
