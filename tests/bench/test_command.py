"""`una bench`: what it prints is whole, says what it was measured under, and leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.tiny_model import tiny_model
from unabridged.bench import command, gateway, library, machine, report, rpc, search, semantic, tables
from unabridged.bench.goals import GOALS
from unabridged.bench.setup import Result, Setup
from unabridged.errors import InvalidInput, NoTranscripts, PathNotFound


class Page:
    """A screen that keeps what is written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.documents: list[Any] = []
        self.notes: list[str] = []

    def line(self, text: str = "") -> None:
        self.lines.append(text)

    def json(self, value: Any) -> None:
        self.documents.append(json.loads(json.dumps(value, allow_nan=False)))

    def note(self, text: str = "") -> None:
        self.notes.append(text)


class Given:
    """What a command line gave."""

    def __init__(self, *names: str, **values: Any) -> None:
        self.screen = Page()
        self.environ: dict[str, str] = {}
        self._values = {"name": list(names), **values}

    def flag(self, name: str) -> bool:
        return bool(self._values.get(name))

    def text(self, name: str, default: str = "") -> str:
        return str(self._values.get(name, default))

    def number(self, name: str, default: int = 0) -> int:
        return int(self._values.get(name, default))

    def list(self, name: str) -> list[str]:
        return list(self._values.get(name, ()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have temporary folders made where the test can see them; short, for the sockets in them."""
    with tempfile.TemporaryDirectory(prefix="ub") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        yield Path(short)


def measured(name: str, size: int, **values: Any) -> dict[str, Any]:
    """Run a bench and return its JSON."""
    given = Given(name, size=size, json=True, **values)
    assert command.run(given) == 0
    assert given.screen.lines == []
    (document,) = given.screen.documents
    return document


def checked(found: dict[str, Any], name: str, size: int) -> None:
    """Every result has the promised fields, and every goal of its bench a figure."""
    assert {"bench", "figures", "rival", "ratio", "machine"} <= set(found)
    assert found["bench"] == name
    assert found["conditions"]["size"] == size
    assert found["conditions"]["corpus"]["digest"]
    assert found["machine"]["cores"] >= 1
    assert len(found["machine"]["load"]) == 3
    assert [goal["figure"] for goal in found["goals"]] == [goal.path for goal in GOALS if goal.bench == name]
    missing = [goal["figure"] for goal in found["goals"] if goal["measured"] is None]
    assert missing == [], "a goal that nothing was measured for"
    assert all(isinstance(goal["met"], bool) for goal in found["goals"])


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_admission_compares_the_same_turns_by_one_and_eight_clients(folder: Path) -> None:
    found = measured("admission", 16)
    checked(found, "admission", 16)
    for clients in ("one_client", "eight_clients"):
        assert found["figures"]["durable"][clients]["idle"]["n"] == 16
        assert found["rival"]["durable"][clients]["idle"]["n"] == 16
    assert found["figures"]["searchable"]["one_client"]["idle"]["n"] == 4
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_an_import_accounts_for_every_line_and_finds_a_rewrite(folder: Path) -> None:
    found = measured("import", 1)
    checked(found, "import", 1)
    figures = found["figures"]
    assert figures["lines"]["read"] == figures["lines"]["new"] > 0
    assert figures["lines"]["unreadable"] == 0
    assert figures["unchanged"]["skipped"] == figures["unchanged"]["files"] == found["conditions"]["files"]
    assert figures["verify_lines_new"] == 0
    assert figures["finds_rewrite"] is True
    assert figures["complete"] is True
    assert found["conditions"]["real"] is False
    assert not any(goal["comparable"] for goal in found["goals"] if "durable" in goal["figure"])
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("tiny", "folder")
def test_an_import_takes_real_transcripts_and_leaves_them_as_they_are(tmp_path: Path) -> None:
    row = {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/nowhere/p",
        "sessionId": "11111111-2222-4333-8444-555555555555",
        "version": "2.1.0",
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": "a question of mine"}]},
        "uuid": "11111111-0000-4000-8000-000000000001",
        "timestamp": "2026-01-02T03:04:05.000Z",
    }
    file = tmp_path / "real" / "session.jsonl"
    file.parent.mkdir()
    file.write_text(json.dumps(row, separators=(",", ":")) + "\n")
    before = file.read_bytes()
    found = measured("import", 100, **{"from": [str(file.parent)]})
    assert found["conditions"]["real"] is True
    assert found["conditions"]["bytes"] == len(before)
    assert found["figures"]["lines"]["new"] == 1
    assert file.read_bytes() == before


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_a_kept_library_is_searched_recalled_and_weighed_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "FILE_WINDOWS", 50)
    kept = folder / "kept"
    found = measured("search", 120, keep=str(kept))
    checked(found, "search", 120)
    assert found["conditions"]["windows"] == 120
    answers = found["conditions"]["answers"]
    assert answers["ok"] + answers.get("empty", 0) == search.COUNT
    assert answers["ok"] > search.COUNT / 2
    assert found["figures"]["idle"]["n"] == found["rival"]["idle"]["n"] == search.COUNT
    assert json.loads((kept / "library.json").read_text())["windows"] == 120
    again = measured("recall", 120, keep=str(kept))
    checked(again, "recall", 120)
    assert again["conditions"]["windows"] > 120, "what the import beside the search brought is counted"
    weighed = measured("memory", 120, keep=str(kept))
    checked(weighed, "memory", 120)
    assert weighed["figures"]["after_search"]["private_mib"] > 1
    assert weighed["figures"]["after_search"]["processes"] >= 2
    # As if the run that built it had been ended before it noted the last lot; fewer windows than there are do no harm.
    (kept / "library.json").write_text((kept / "library.json").read_text().replace("120", "100"))
    assert (
        measured("memory", 120, keep=str(kept))["conditions"]["windows"] == weighed["conditions"]["windows"]
    )
    assert measured("memory", 50, keep=str(kept))["conditions"]["size"] == 120
    with pytest.raises(InvalidInput) as refused:
        measured("memory", 120, keep=str(kept), seed=2)
    assert refused.value.details["differing"] == ["seed"]


def test_what_is_started_from_the_shell_runs_compiled_whatever_the_environment_says(tmp_path: Path) -> None:
    (tmp_path / "imported.py").write_text("")
    env = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tmp_path), "KEPT": "1"}
    given = rpc.compiled(env, tmp_path / "compiled")
    assert given["KEPT"] == "1"
    subprocess.run([sys.executable, "-c", "import imported"], env=given, check=True)
    assert [path.stem.split(".")[0] for path in (tmp_path / "compiled").rglob("imported.*")] == ["imported"]


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_requests_and_whole_commands_are_timed_beside_a_bare_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rpc, "WINDOWS", 60)
    found = measured("rpc", 400)
    checked(found, "rpc", 400)
    assert found["figures"]["ping"]["idle"]["n"] == found["rival"]["ping"]["idle"]["n"] == 400
    assert found["figures"]["shell"]["n"] == found["rival"]["shell"]["n"] == 3
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_the_first_answers_of_a_pipe_are_timed_beside_a_server_of_the_sdk(folder: Path) -> None:
    found = measured("mcp", 1)
    checked(found, "mcp", 1)
    for way in ("running", "down"):
        assert found["figures"][way]["initialize"]["n"] == found["figures"][way]["first_call"]["n"] == 1
        assert found["ratio"][way]["initialize"]["p50"] > 0
    assert list(folder.iterdir()) == []


# --- the command line, without measuring --------------------------------------------------------------------------


def pretended(monkeypatch: pytest.MonkeyPatch, *, busy: bool = False) -> list[Setup]:
    """Let every bench return the same at once; return what each was given."""
    asked: list[Setup] = []

    def measure(setup: Setup) -> Result:
        asked.append(setup)
        setup.tell("measuring")
        text = {"files": 1, "digest": "abc", "characters": 1}
        values = {"idle": {"p95_ms": 1.0}}
        return Result(values, values, {"idle": {"p95": 1.0}}, {"size": setup.size, "seed": 1, "corpus": text})

    monkeypatch.setattr(command, "BENCHES", dict.fromkeys(command.BENCHES, (measure, 7)))
    described = machine.describe()
    monkeypatch.setattr(machine, "describe", lambda: {**described, "busy": busy})
    return asked


def test_without_a_name_every_bench_runs_at_its_own_size(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = pretended(monkeypatch)
    given = Given(json=True)
    assert command.run(given) == 0
    (documents,) = given.screen.documents
    needs_no_model = [name for name in command.BENCHES if name not in command.NAMED_ONLY]
    assert [document["bench"] for document in documents] == needs_no_model
    assert {setup.size for setup in asked} == {7}


def test_a_busy_machine_is_warned_of_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    pretended(monkeypatch, busy=True)
    given = Given("rpc")
    command.run(given)
    assert "The machine is busy" in given.screen.notes[0]
    assert report.BUSY in given.screen.lines


@pytest.mark.parametrize(
    ("names", "values", "error"),
    [
        (["nothing"], {}, InvalidInput),
        (["search"], {"size": 0}, InvalidInput),
        (["search"], {"size": 20_000_000}, InvalidInput),
        (["search"], {"from": ["/"]}, InvalidInput),
        (["import"], {"from": ["/nowhere/at/all"]}, PathNotFound),
    ],
)
def test_what_cannot_be_measured_is_refused(
    monkeypatch: pytest.MonkeyPatch, names: list[str], values: dict[str, Any], error: type[Exception]
) -> None:
    asked = pretended(monkeypatch)
    with pytest.raises(error):
        command.run(Given(*names, **values))
    assert asked == []


@pytest.mark.usefixtures("tiny", "folder")
def test_a_folder_without_transcripts_is_no_import(tmp_path: Path) -> None:
    with pytest.raises(NoTranscripts):
        measured("import", 1, **{"from": [str(tmp_path)]})


@pytest.mark.usefixtures("tiny", "folder")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processor time by thread is Linux's")
def test_a_gateway_is_measured_beside_a_plain_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "REQUESTS": 4,
        "STREAMS": 3,
        "STREAM_MESSAGES": 30,
        "EVENTS": 4,
        "COMMITS": 3,
    }.items():
        monkeypatch.setattr(gateway, name, value)
    for name in ("WARM_SECONDS", "OVER_SECONDS", "QUIET_SECONDS"):
        monkeypatch.setattr(gateway, name, 0.1)
    found = measured("gateway", 60)
    checked(found, "gateway", 60)
    for side in ("figures", "rival"):
        assert found[side]["cpu"]["n"] == 3
        assert found[side]["cpu"]["p50_ms"] > 0
        assert found[side]["streams"]["late"]["n"] == 12
    assert found["figures"]["daemon_cpu_ms"] > 0
    assert found["figures"]["commit"]["n"] == 2
    assert found["figures"]["blind"]["cpu"]["n"] == 3
    assert found["ratio"]["cpu"]["p50"] > 0


@pytest.mark.usefixtures("tiny", "folder")
def test_a_window_is_measured_in_every_format_beside_plain_json() -> None:
    found = measured("window", 60)
    checked(found, "window", 60)
    for form in ("anthropic", "responses", "chat"):
        assert found["figures"][form]["cut"]["n"] > 0
        assert found["rival"][form]["cut"]["p50_ms"] > 0
        assert found["ratio"][form]["whole"]["p50"] > 0
    assert found["conditions"]["messages"] == 60


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_what_meaning_adds_is_measured_with_a_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model(folder / "model")
    monkeypatch.setattr(semantic, "model_folder", lambda _: model)
    monkeypatch.setattr(semantic, "COUNT", 5)
    monkeypatch.setattr(semantic, "ROWS", 400)
    monkeypatch.setattr(tables, "LOT", 200)
    found = measured("semantic", 6)
    checked(found, "semantic", 6)
    assert found["figures"]["added"]["n"] == found["rival"]["nearest"]["n"] == 5
    assert found["conditions"]["rows"] == found["conditions"]["spans"] + 400
    assert found["figures"]["bytes_a_span"] > 100
