"""The index follows the log, survives its worker, and is made anew when it must be."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import kill, until
from unabridged.archive.log import head
from unabridged.archive.notes import NoteDraft, plan_note
from unabridged.daemon.indexing import Indexing
from unabridged.daemon.indexview import Shelf
from unabridged.daemon.logs import Log
from unabridged.errors import Cancelled, IndexCorrupt
from unabridged.index import generation
from unabridged.retrieve.search import Search
from unabridged.schema.ids import Micros, ProjectId, project_id
from unabridged.store.contract import Store
from unabridged.store.open import open_store

# Every test here starts an index worker or two.
pytestmark = pytest.mark.slow

ROOT = "/nowhere/project"
PROJECT = project_id(ROOT)
ANIMALS = ("giraffe", "tiger", "okapi")


def nothing(*_: Any) -> None:
    """Do nothing."""


class Bench:
    """An index over a store in memory; its worker is a real process."""

    def __init__(self, folder: Path, now: int = 1_800_000_000_000_000) -> None:
        self.folder = folder
        self.now = Micros(now)
        self.store: Store = open_store("memory:")
        self.log = Log(str(folder / "logs"))
        self.indexing = self._begin()

    def _begin(self) -> Indexing:
        made = Indexing(self.store, str(self.folder / "index"), self.log, str(self.folder / "errors"))
        made.start()
        return made

    def again(self) -> None:
        """Let the index end and begin anew, as another daemon would."""
        self.indexing.close(10.0)
        self.indexing = self._begin()

    def note(self, text: str, project: str = ROOT) -> int:
        """Admit a note; return its log position."""
        name = project_id(project)
        draft = NoteDraft(name, project, text, text)
        return self.store.commit(name, plan_note(draft, self.now, 0)).position

    def wait(self) -> bool:
        with self.store.snapshot() as reader:
            wanted = {PROJECT: head(reader, PROJECT)}
        return self.indexing.wait(wanted, nothing)

    def find(self, query: str) -> int:
        """Return how many windows answer a query."""
        finder = self.indexing.finder()
        assert finder is not None
        return len(finder.candidates(Search(query), None, 10))

    def events(self) -> list[str]:
        path = self.folder / "logs" / "daemon.log"
        return [json.loads(line)["event"] for line in path.read_text().splitlines()] if path.exists() else []

    def close(self) -> None:
        self.indexing.close(10.0)
        self.store.close()
        self.log.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


def test_what_was_waited_for_is_found(bench: Bench) -> None:
    assert bench.indexing.finder() is None
    bench.note("the zebra crossed the road")
    assert bench.wait()
    assert (bench.find("zebra"), bench.find("giraffe")) == (1, 0)
    bench.note("a giraffe followed it")
    assert bench.wait()
    assert bench.find("giraffe") == 1
    until(lambda: bench.indexing.status()["state"] == "current")
    status = bench.indexing.status()
    assert (status["ok"], status["behind"], status["windows"]) == (True, 0, 2)


def test_a_waiter_whose_caller_has_gone_waits_no_longer(bench: Bench) -> None:
    def gone() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        bench.indexing.wait({PROJECT: 1_000}, gone)


def test_an_index_goes_on_where_it_was(bench: Bench) -> None:
    bench.note("zebra")
    assert bench.wait()
    bench.indexing.close(10.0)
    bench.note("giraffe")
    bench.again()
    assert bench.find("zebra") == 1, "what was committed before is found at once"
    assert bench.wait()
    assert bench.find("giraffe") == 1
    assert bench.indexing.generation() == 1


def test_a_killed_worker_is_started_again_and_nothing_is_missing(bench: Bench) -> None:
    bench.note("zebra")
    assert bench.wait()
    for word in ANIMALS:
        kill(bench.indexing.pids()[0])
        bench.note(word)
        assert bench.wait()
    assert [bench.find(word) for word in ANIMALS] == [1, 1, 1]
    assert bench.indexing.status()["windows"] == 4
    assert bench.events().count("worker-died") >= 1


def test_a_rebuilt_index_answers_as_the_old_one_and_takes_its_place(bench: Bench) -> None:
    for word in ANIMALS:
        bench.note(f"zebra {word}")
    assert bench.wait()
    assert bench.indexing.verify(nothing, nothing)["equal"]
    bench.indexing.rebuild(True, nothing, nothing)
    assert (bench.indexing.generation(), bench.find("tiger")) == (2, 1)
    until(lambda: not generation.folder(bench.folder / "index", 1).exists())
    assert bench.indexing.verify(nothing, nothing)["ok"]
    assert not (bench.folder / "index" / "verify").exists()


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.05, 0.15])
def test_a_rebuild_that_is_asked_for_while_the_index_opens_is_made(bench: Bench, pause: float) -> None:
    bench.note("giraffe")
    bench.wait()
    before = bench.indexing.generation()
    bench.again()
    time.sleep(pause)  # wherever the thread is by then
    bench.indexing.rebuild(False, nothing, nothing)
    until(lambda: bench.indexing.generation() > before)
    bench.wait()
    assert bench.find("giraffe") == 1


def test_an_index_with_something_else_in_it_is_found_out(bench: Bench) -> None:
    bench.note("zebra")
    assert bench.wait()
    bench.indexing.close(10.0)
    folder = generation.folder(bench.folder / "index", 1)
    extra = Bench(bench.folder / "other", now=1_700_000_000_000_000)
    try:
        extra.note("lion")
        assert extra.wait()
        extra.indexing.close(10.0)
        shutil.rmtree(folder)
        shutil.copytree(generation.folder(extra.folder / "index", 1), folder)
    finally:
        extra.close()
    bench.again()
    until(lambda: "index-rebuilt" in bench.events())
    assert bench.wait()
    until(lambda: bench.indexing.generation() == 2)
    assert (bench.find("zebra"), bench.find("lion")) == (1, 0)


@pytest.mark.parametrize("damage", ["gone", "meta", "current"])
def test_a_damaged_index_is_made_anew(bench: Bench, damage: str) -> None:
    bench.note("zebra")
    assert bench.wait()
    bench.indexing.close(10.0)
    root = bench.folder / "index"
    if damage == "gone":
        shutil.rmtree(root)
    elif damage == "meta":
        (generation.folder(root, 1) / "meta.json").write_text("{")
    else:
        (root / generation.CURRENT).write_text("nonsense")
    bench.again()
    assert bench.wait()
    assert bench.find("zebra") == 1


def test_projects_are_followed_each_at_its_own_position(bench: Bench) -> None:
    positions: dict[ProjectId, int] = {}
    for number in range(5):
        root = f"/nowhere/{number}"
        for _ in range(number + 1):
            positions[project_id(root)] = bench.note(f"zebra{number} {_}", root)
    assert bench.indexing.wait(positions, nothing)
    finder = bench.indexing.finder()
    assert finder is not None
    assert {project: finder.positions[project] for project in positions} == positions


def test_an_index_that_fails_when_it_is_searched_is_made_anew_once(bench: Bench) -> None:
    bench.note("zebra")
    assert bench.wait()
    until(lambda: bench.indexing.status()["state"] == "current")
    bench.indexing.distrust("index-busy")
    bench.indexing.distrust("index-corrupt")
    until(lambda: bench.indexing.generation() == 2)
    until(lambda: bench.indexing.status()["state"] == "current")
    bench.indexing.distrust("index-corrupt")
    bench.note("giraffe")
    assert bench.wait()
    assert (bench.find("giraffe"), bench.indexing.generation()) == (1, 2)


def test_what_searches_read_stays_until_another_generation_could_be_loaded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.note("zebra")
    assert bench.wait()
    until(lambda: bench.indexing.status()["state"] == "current")
    load, kept = Shelf.load, list[tuple[bool, int]]()

    def loads(shelf: Shelf, number: int) -> None:
        if number > 1 and len(kept) < 2:
            kept.append((generation.folder(bench.folder / "index", 1).is_dir(), bench.find("zebra")))
            raise IndexCorrupt("it cannot be loaded")
        load(shelf, number)

    monkeypatch.setattr(Shelf, "load", loads)
    bench.indexing.distrust("index-corrupt")
    until(lambda: bench.indexing.generation() > 1)
    assert kept == [(True, 1), (True, 1)]
    assert bench.find("zebra") == 1
    until(lambda: not generation.folder(bench.folder / "index", 1).exists())


def test_an_index_that_a_full_disk_keeps_from_being_used_is_used_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use, full = generation.use, [True]

    def used(root: Path, number: int) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        use(root, number)

    monkeypatch.setattr(generation, "use", used)
    bench = Bench(tmp_path)
    try:
        bench.note("zebra")
        until(lambda: bench.indexing.status()["error"] == "disk-full")
        assert not bench.indexing.status()["ok"]
        full.clear()
        until(lambda: bench.indexing.status()["state"] == "current")
        assert bench.wait()
        assert (bench.find("zebra"), bench.indexing.status()["error"]) == (1, "")
    finally:
        bench.close()
