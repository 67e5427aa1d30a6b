"""The vectors of a daemon: filled, asked, damaged, without a model, with workers that die."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import kill, until
from tests.support.tiny_judge import tiny_judge
from tests.support.tiny_model import tiny_model
from unabridged.archive.forget import plan_retire
from unabridged.archive.notes import NoteDraft, plan_note
from unabridged.daemon import config
from unabridged.daemon.logs import Log
from unabridged.daemon.paths import Layout
from unabridged.daemon.vectors import INSTALLED, Vectors
from unabridged.schema.ids import Micros, Ordinal, project_id
from unabridged.schema.records import EVENT
from unabridged.store.contract import Store
from unabridged.store.open import open_store
from unabridged.vectors.asked import Nearest, Where
from unabridged.vectors.note import NOTE, ROWS, TOKENS, VECTORS

# Every test here starts workers with a model.
pytestmark = pytest.mark.slow

ROOT = "/nowhere/project"
PROJECT = project_id(ROOT)
LONG = 20.0  # seconds that a process may take to start on a busy machine


class Bench:
    """Vectors over a store in memory; the workers are real processes, the model is a tiny one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store: Store = open_store("memory:")
        self.log = Log(str(folder / "logs"))
        self.settings: dict[str, str] = {}
        self.now = 1_800_000_000_000_000
        self.layout = Layout(str(folder), str(folder), str(folder))
        self.vectors = self._begin()

    @property
    def table(self) -> Path:
        numbers = sorted((self.folder / "index" / "vectors").glob("g*"))
        return numbers[-1]

    def _begin(self) -> Vectors:
        found = config.load({}, self.settings, explicit=True, place=self.layout)
        made = Vectors(self.store, found, self.log, str(self.folder / "errors"))
        made.start()
        return made

    def again(self, **settings: str) -> None:
        """Let them end and begin anew, as another daemon would."""
        self.settings |= {f"semantic.{name}": value for name, value in settings.items()}
        self.vectors.close(10.0)
        self.vectors = self._begin()

    def install(self, seed: int = 1) -> None:
        tiny_model(Path(self.layout.models) / INSTALLED, seed)

    def note(self, text: str) -> int:
        draft = NoteDraft(PROJECT, ROOT, text, text)
        outcome = self.store.commit(PROJECT, plan_note(draft, Micros(self.now), 0))
        self.vectors.poke()
        return int(outcome.ordinal)

    def wait(self) -> None:
        until(lambda: self.state("state") == "current" and not self.state("behind"))

    def state(self, name: str) -> Any:
        return self.vectors.status().get(name)

    def ask(self, text: str) -> Nearest | str:
        return self.vectors.ask(text, Where(), 5, LONG)

    def texts(self, text: str) -> list[str]:
        found = self.ask(text)
        assert isinstance(found, Nearest), found
        with self.store.snapshot() as reader:
            events = [reader.get(EVENT, (PROJECT, Ordinal(near.ordinal))) for near in found.spans]
        return [str(event.pieces[0]) for event in events if event is not None]

    def events(self) -> list[str]:
        path = self.folder / "logs" / "daemon.log"
        return [json.loads(line)["event"] for line in path.read_text().splitlines()] if path.exists() else []

    def close(self) -> None:
        self.vectors.close(10.0)
        self.store.close()
        self.log.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


@pytest.fixture
def filled(bench: Bench) -> Bench:
    bench.install()
    for text in ("the red automobile", "we settled on postgresql", "giraffe tiger okapi"):
        bench.note(text)
    bench.wait()
    return bench


def test_without_a_model_nothing_runs_and_nothing_is_written(bench: Bench) -> None:
    bench.note("the red automobile")
    time.sleep(1.5)  # longer than the follower looks
    assert bench.state("state") == "off"
    assert bench.ask("car") == "not-installed"
    assert (bench.vectors.status()["workers"], bench.vectors.busy) == ([], False)
    assert not (bench.folder / "index").exists()


def test_a_model_that_is_installed_later_is_used_at_once(bench: Bench) -> None:
    bench.note("the red automobile")
    bench.note("giraffe tiger okapi")
    bench.install()
    bench.wait()
    assert "automobile" in bench.texts("car")[0]
    assert (bench.state("model"), bench.state("spans")) == ("tiny", 2)


def test_what_comes_later_is_embedded(filled: Bench) -> None:
    assert "postgresql" in filled.texts("which database did we choose")[0]
    filled.note("the garden weather fine")
    until(lambda: not filled.state("behind"))
    assert "garden" in filled.texts("garden")[0]


def test_what_is_retired_is_found_no_more(filled: Bench) -> None:
    ordinal = filled.note("secret vehicle")
    until(lambda: not filled.state("behind"))
    assert "secret" in filled.texts("secret")[0]
    with filled.store.snapshot() as reader:
        event = reader.get(EVENT, (PROJECT, Ordinal(ordinal)))
    assert event is not None
    filled.store.commit(PROJECT, plan_retire(PROJECT, Ordinal(ordinal + 1), "retired", Micros(1)))
    filled.vectors.poke()
    until(lambda: not filled.state("behind"))
    until(lambda: not any("secret" in text for text in filled.texts("secret")))


def test_they_go_on_where_they_were(filled: Bench) -> None:
    table = filled.table
    before = (table / ROWS).read_bytes()
    filled.again()
    assert "automobile" in filled.texts("car")[0], "what was committed before is found at once"
    filled.note("the garden")
    filled.wait()
    assert (table / ROWS).read_bytes()[: len(before)] == before
    assert filled.state("spans") == 4


@pytest.mark.parametrize("part", [ROWS, VECTORS, TOKENS, NOTE])
def test_a_damaged_table_is_made_anew(filled: Bench, part: str) -> None:
    table = filled.table
    filled.vectors.close(10.0)
    with (table / part).open("r+b") as file:
        file.truncate(40)
    filled.again()
    assert isinstance(filled.ask("car"), str) or filled.texts("car")
    until(lambda: filled.table != table and filled.state("state") == "current" and not filled.state("behind"))
    assert "automobile" in filled.texts("car")[0]
    assert not table.exists()


@pytest.mark.parametrize("part", [ROWS, VECTORS])
def test_a_table_of_garbage_is_made_anew(filled: Bench, part: str) -> None:
    table = filled.table
    filled.vectors.close(10.0)
    (table / part).write_bytes(b"\xff" * (table / part).stat().st_size)
    filled.again()
    until(lambda: isinstance(filled.ask("car"), Nearest) and filled.table != table)
    until(lambda: filled.state("state") == "current" and not filled.state("behind"))
    until(lambda: isinstance(filled.ask("car"), Nearest))  # the worker that answers opens the new table
    assert "automobile" in filled.texts("car")[0]


def test_a_table_that_was_removed_is_made_anew(filled: Bench) -> None:
    filled.vectors.close(10.0)
    shutil.rmtree(filled.folder / "index")
    filled.again()
    filled.wait()
    assert "automobile" in filled.texts("car")[0]


def test_vectors_that_are_gone_are_not_called_a_model_that_is_not_installed(filled: Bench) -> None:
    shutil.rmtree(filled.folder / "index")
    answer = filled.ask("car")
    assert answer == "starting" or isinstance(answer, Nearest)
    filled.note("the blue automobile")
    until(lambda: isinstance(filled.ask("car"), Nearest))
    filled.wait()
    assert any("blue" in text for text in filled.texts("car"))
    assert any("red" in text for text in filled.texts("car"))


def test_another_model_makes_them_anew(filled: Bench) -> None:
    table = filled.table
    filled.vectors.close(10.0)
    filled.install(seed=2)
    filled.again()
    until(lambda: filled.table != table and filled.state("state") == "current" and not filled.state("behind"))
    assert "automobile" in filled.texts("car")[0]


def test_vectors_of_another_log_are_made_anew(filled: Bench) -> None:
    table = filled.table
    filled.vectors.close(10.0)
    filled.store.close()
    filled.store, filled.now = open_store("memory:"), filled.now + 1
    for text in ("tiger", "okapi", "giraffe", "weather", "garden"):
        filled.note(text)
    filled.again()
    until(lambda: filled.table != table and filled.state("state") == "current" and not filled.state("behind"))
    assert filled.state("spans") == 5


def test_a_killed_worker_costs_one_answer_at_most(filled: Bench) -> None:
    assert "automobile" in filled.texts("car")[0]
    for pid in filled.vectors.status()["workers"]:
        kill(pid)
    assert isinstance(filled.ask("car"), str | Nearest)
    until(lambda: isinstance(filled.ask("car"), Nearest))
    filled.note("the garden")
    until(lambda: not filled.state("behind"))
    assert "garden" in filled.texts("garden")[0]


def test_a_model_that_cannot_be_loaded_is_said(bench: Bench) -> None:
    bench.install()
    (Path(bench.layout.models) / INSTALLED / "tokenizer.json").write_text("{}")
    bench.note("the red automobile")
    until(lambda: bench.state("state") == "failed")
    assert bench.state("error") == "model-damaged"
    assert bench.ask("car") == "failed: model-damaged"
    bench.install()
    until(lambda: isinstance(bench.ask("car"), Nearest) and not bench.state("behind"))


def test_a_model_of_a_folder_is_used_and_can_be_turned_off(bench: Bench) -> None:
    folder = tiny_model(bench.folder / "elsewhere")
    bench.note("the red automobile")
    bench.again(model=str(folder))
    bench.wait()
    assert "automobile" in bench.texts("car")[0]
    bench.again(enabled="false")
    assert bench.ask("car") == "not-installed"
    until(lambda: bench.state("state") == "off")


def test_a_cross_encoder_of_a_folder_judges_without_any_other_model(bench: Bench) -> None:
    assert not bench.vectors.judges()
    folder = tiny_judge(bench.folder / "judge", {"okapi": 2.0, "car": -1.0})
    bench.again(reranker=str(folder), reranker_seconds="20")
    assert bench.vectors.judges()
    assert bench.vectors.judge("which", ["car", "okapi okapi", ""]) == [-1.0, 4.0, 0.0]
    for pid in bench.vectors.status()["workers"]:
        kill(pid)
    assert isinstance(bench.vectors.judge("which", ["car"]), str | list)
    until(lambda: bench.vectors.judge("which", ["car"]) == [-1.0])
    assert bench.ask("car") == "not-installed"
    assert not (bench.folder / "index").exists(), "judging writes nothing"


def test_a_cross_encoder_that_is_not_there_is_said(bench: Bench) -> None:
    bench.again(reranker=str(bench.folder / "nothing"), reranker_seconds="20")
    assert bench.vectors.judge("which", ["car"]) == "failed: model-missing"


def test_a_search_does_not_wait_for_a_model_that_loads_slowly(filled: Bench) -> None:
    filled.again()
    assert filled.vectors.ask("car", Where(), 5, 0.0) == "starting"
    until(lambda: isinstance(filled.vectors.ask("car", Where(), 5, 0.0), Nearest))


def test_workers_end_with_the_vectors(filled: Bench) -> None:
    filled.texts("car")
    pids = filled.vectors.status()["workers"]
    assert pids
    filled.vectors.close(10.0)
    assert filled.vectors.status()["workers"] == []
