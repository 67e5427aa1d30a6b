"""Growing transcripts are followed, new ones found, missing ones noted; what is not ours is left alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from watchfiles import Change

from tests.daemon.living import SESSION, Home, environment, transcript, until
from unabridged.archive.origins import plan_gone
from unabridged.daemon import watched
from unabridged.daemon.known import Known
from unabridged.daemon.logs import Log
from unabridged.daemon.tailing import Tailing
from unabridged.daemon.watched import plan_watch, used_roots
from unabridged.hosts.contract import Candidate
from unabridged.schema.ids import GLOBAL, NO_SESSION, Micros, origin_id, project_id
from unabridged.schema.records import ORIGIN, PROJECT, Origin, Project
from unabridged.store.contract import Batch, Reader, Store
from unabridged.store.open import open_store

OTHER = "99999999-2222-4333-8444-555555555555"
PROJECT_ID = project_id("/p")


def origin(path: Path, host: str = "claude-code", kind: str = "file") -> Origin:
    return Origin(PROJECT_ID, origin_id(host, str(path)), host, str(path), kind, NO_SESSION)


class Reads:
    """What was asked to be read."""

    def __init__(self) -> None:
        self.read_: list[str] = []
        self.scanned: list[tuple[list[str], list[str], list[str]]] = []

    def read(self, host: str, candidate: Candidate, *, close: bool = False) -> None:
        self.read_.append(candidate.path)

    def scan(self, paths: list[str], hosts: list[str], only: Sequence[str] = ()) -> None:
        self.scanned.append((paths, hosts, list(only)))


@pytest.fixture
def store() -> Iterator[Store]:
    made = open_store("memory:")
    yield made
    made.close()


def follow(
    store: Store, tmp_path: Path, origins: list[Origin], roots: dict[str, list[Path]]
) -> tuple[Tailing, Reads]:
    def plan(_: Reader) -> Batch:
        batch = Batch()
        batch.put(PROJECT, Project(GLOBAL, PROJECT_ID, "p", ["/p"], Micros(1)))
        for item in origins:
            batch.put(ORIGIN, item)
        return batch

    store.commit(PROJECT_ID, plan)
    known, reads = Known(store), Reads()
    made = Tailing(
        reads, known, store, Log(str(tmp_path / "logs")), lambda: roots, lambda: Micros(7), lambda: None
    )
    made._by_path = {item.path: item for item in origins}
    made._plan = plan_watch(origins, roots)
    return made, reads


def test_a_known_transcript_that_changes_is_read_again_once_for_many_changes(
    store: Store, tmp_path: Path
) -> None:
    path = transcript(tmp_path / "t.jsonl", SESSION, 1)
    made, reads = follow(store, tmp_path, [origin(path)], {})
    made.changed([(Change.modified, str(path)), (Change.added, str(path)), (Change.modified, str(path))])
    assert reads.read_ == [str(path)]


def test_a_new_file_is_looked_at_only_where_its_host_keeps_sessions(store: Store, tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    known = [
        origin(transcript(root / "p" / "a.jsonl", SESSION, 1)),
        origin(transcript(elsewhere / "b.jsonl", OTHER, 1)),
    ]
    made, reads = follow(store, tmp_path, known, {"claude-code": [root]})
    new = [transcript(root / "p" / "new.jsonl", OTHER, 1), transcript(elsewhere / "new.jsonl", OTHER, 1)]
    made.changed([(Change.added, str(path)) for path in new])
    assert reads.scanned == [([str(root / "p")], ["claude-code"], [str(new[0])])]


def test_a_new_folder_is_looked_through_and_watched(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "root"
    made, reads = follow(
        store, tmp_path, [origin(transcript(root / "p" / "a.jsonl", SESSION, 1))], {"claude-code": [root]}
    )
    (root / "q").mkdir()
    made.changed([(Change.added, str(root / "q"))])
    assert reads.scanned == [([str(root / "q")], ["claude-code"], [])]
    assert made._refreshing


def test_a_side_file_of_a_database_stands_for_the_database(store: Store, tmp_path: Path) -> None:
    database = tmp_path / "opencode.db"
    database.write_bytes(b"")
    made, reads = follow(store, tmp_path, [origin(database, "opencode", "stream")], {})
    made.changed([(Change.modified, f"{database}-wal"), (Change.modified, f"{database}-shm")])
    assert reads.scanned == [([str(database)], ["opencode"], [])]


# https://github.com/anthropics/claude-code/issues/62476, /90667 and /90371: hosts delete transcripts after some
# days.
def test_a_transcript_that_is_gone_is_noted_and_kept(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    made, reads = follow(store, tmp_path, [origin(path)], {})
    made.changed([(Change.deleted, str(path))])
    made.changed([(Change.deleted, str(path))])
    with store.snapshot() as reader:
        noted = reader.get(ORIGIN, (PROJECT_ID, origin_id("claude-code", str(path))))
    assert noted is not None
    assert noted.gone == 7
    assert reads.read_ == []
    back: Origin = store.commit(PROJECT_ID, plan_gone(noted, Micros(0)))
    assert back.gone == 0


def test_places_nothing_was_imported_from_are_not_watched(tmp_path: Path) -> None:
    used, unused = tmp_path / "used", tmp_path / "unused"
    for folder in (used / "p", unused / "p"):
        folder.mkdir(parents=True)
    known = [origin(used / "p" / "a.jsonl")]
    roots = {"claude-code": [used, unused], "codex": [used]}
    assert used_roots(known, roots) == {"claude-code": [used]}
    plan = plan_watch(known, roots)
    assert plan.folders == {str(used): {"claude-code"}, str(used / "p"): {"claude-code"}}


def test_no_more_folders_than_the_bound_are_watched_and_the_live_ones_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "MAX_FOLDERS", 5)
    root = tmp_path / "root"
    for number in range(20):
        folder = root / f"p{number:02d}"
        folder.mkdir(parents=True)
        os.utime(folder, (1_000_000 + number, 1_000_000 + number))
    plan = plan_watch([origin(root / "p00" / "a.jsonl")], {"claude-code": [root]})
    assert sorted(plan.folders) == [str(root), *(str(root / f"p{number}") for number in range(16, 20))]
    assert plan.left_out == 16 + 1


@pytest.mark.slow
def test_a_running_daemon_follows_what_grows_and_finds_what_is_new(home: Home, tmp_path: Path) -> None:
    user = tmp_path / "user"
    first = transcript(user / ".claude" / "projects" / "p" / f"{SESSION}.jsonl", SESSION, 2)
    with environment(HOME=str(user)):
        client = home.connect()
        assert client.call("import", {}, timeout=60)["events"] == 4
        until(lambda: tailing_of(client)["folders"] >= 2)
        transcript(first, SESSION, 1, first=2, words="grown")
        transcript(user / ".claude" / "projects" / "q" / f"{OTHER}.jsonl", OTHER, 1, words="appeared")
        until(lambda: client.call("search", {"query": "grown2"})["status"] == "ok")
        until(lambda: client.call("search", {"query": "appeared0"})["status"] == "ok")
        first.unlink()
        until(lambda: gone(client) != "")
        assert client.call("search", {"query": "grown2"})["status"] == "ok"


def tailing_of(client: Any) -> dict[str, Any]:
    return client.call("daemon.status")["daemon"]["tailing"]


def gone(client: Any) -> str:
    return client.call("original", {"session": SESSION, "listing": True})["origins"][0]["gone"]


@pytest.mark.slow
def test_a_daemon_catches_up_with_what_happened_while_none_ran(home: Home, tmp_path: Path) -> None:
    user = tmp_path / "user"
    first = transcript(user / ".claude" / "projects" / "p" / f"{SESSION}.jsonl", SESSION, 2)
    with environment(HOME=str(user)):
        client = home.connect()
        client.call("import", {}, timeout=60)
        client.call("shutdown")
        client.close()
        until(lambda: home.events()[-1] == "stopped")
        transcript(first, SESSION, 1, first=2, words="meanwhile")
        transcript(user / ".claude" / "projects" / "q" / f"{OTHER}.jsonl", OTHER, 1, words="unseen")
        client = home.connect()
        until(lambda: client.call("search", {"query": "meanwhile2"})["status"] == "ok")
        until(lambda: client.call("search", {"query": "unseen0"})["status"] == "ok")
        assert len(client.call("sessions")["sessions"]) == 2


def test_a_host_that_is_installed_is_followed_from_its_first_session_on(tmp_path: Path) -> None:
    home, journals = tmp_path / "home", tmp_path / "install"
    journals.mkdir()
    (journals / "gemini-user.json").write_text("{}")
    (journals / "claude-code-project-0123456789abcdef.json").write_text("{}")
    (journals / "gemini-user.json.new").write_text("{}")
    home.mkdir()
    roots = {"gemini": [home / "a" / "b"], "claude-code": [home / "there"], "pi": [home / "p"]}
    (home / "there" / "below").mkdir(parents=True)
    names = watched.installed_hosts(journals)
    assert names == {"gemini", "claude-code"}
    plan = plan_watch([], roots, names)
    assert plan.folders == {
        str(home / "there"): {"claude-code"},
        str(home / "there" / "below"): {"claude-code"},
        str(home): frozenset(),  # until the folders below it are there
    }
    assert plan.awaited == {str(home / "a" / "b"): "gemini"}
    assert plan_watch([], roots).folders == {}
    assert watched.installed_hosts(tmp_path / "none") == frozenset()


def test_a_database_that_a_host_makes_in_a_folder_of_old_is_waited_for(store: Store, tmp_path: Path) -> None:
    database = tmp_path / "globalStorage" / "state.vscdb"
    database.parent.mkdir()
    made, reads = follow(store, tmp_path, [], {})
    made._plan = plan_watch([], {"cursor": [database]}, {"cursor"})
    made.changed([(Change.added, str(database.parent / "other"))])
    assert not made._refreshing
    database.write_bytes(b"")
    made.changed([(Change.added, f"{database}-wal")])
    assert (made._refreshing, reads.scanned) == (True, [])


def test_what_came_between_a_plan_and_its_watch_is_seen_once_it_settles(store: Store, tmp_path: Path) -> None:
    made, _ = follow(store, tmp_path, [], {})
    made._plan = plan_watch([], {"pi": [tmp_path / "a" / "b"]}, {"pi"})
    made._settled({}, frozenset())
    assert not made._refreshing
    (tmp_path / "a" / "b").mkdir(parents=True)
    made._settled({}, frozenset())
    assert made._refreshing


def test_a_session_is_read_whose_folders_came_with_it(home: Home, tmp_path: Path) -> None:
    user = tmp_path / "user"
    user.mkdir()
    with environment(HOME=str(user), CLAUDE_CONFIG_DIR=str(user / "x" / "claude")), home.connect() as client:
        journals = Path(home.layout.installations)
        assert tailing_of(client)["folders"] == 0
        journals.mkdir()
        (journals / "claude-code-user.json").write_text("{}")
        until(lambda: tailing_of(client)["folders"] > 0)
        transcript(user / "x" / "claude" / "projects" / "p" / f"{SESSION}.jsonl", SESSION, 2)
        until(lambda: len(client.call("sessions", {})["sessions"]) == 1)


def test_what_was_written_before_its_folder_was_watched_is_looked_for_again(
    store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    (root / "p").mkdir(parents=True)
    known = transcript(root / "p" / "t.jsonl", SESSION, 1)
    made, reads = follow(store, tmp_path, [origin(known)], {"claude-code": [root]})
    (root / "q" / "r").mkdir(parents=True)
    made.changed([(Change.added, str(root / "q"))])
    looked = ([str(root / "q")], ["claude-code"], [])
    assert reads.scanned == [looked]
    made._look_behind(frozenset())
    until(lambda: reads.scanned == [looked, looked])
    made._look_behind(frozenset())
    assert made._fresh == {}
