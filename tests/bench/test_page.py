"""docs/benchmarks.md: its tables are what the results say."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.bench.test_figures import result
from tests.repository.source import ROOT
from unabridged.bench.command import BENCHES


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """Load scripts/benchmarks, which has no .py at its end."""
    loader = importlib.machinery.SourceFileLoader("benchmarks_script", str(ROOT / "scripts" / "benchmarks"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_page_is_what_the_results_say(script: ModuleType) -> None:
    assert script.main(["--check"]) == 0, "run scripts/benchmarks"


def test_the_page_has_a_place_for_every_bench(script: ModuleType) -> None:
    assert set(BENCHES) | {"goals"} == {match[2] for match in script.BLOCK.finditer(script.PAGE.read_text())}


def test_results_are_taken_in_and_drawn(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(script, "RESULTS", tmp_path / "results")
    script.PAGE.write_text(
        "# A\n\n<!-- begin goals -->\n<!-- end goals -->\n\n<!-- begin search -->\nold\n<!-- end search -->\n"
    )
    whole = result(busy=True)
    whole["machine"] |= {"sqlite": "3.40", "seconds": 61.0}
    given = tmp_path / "printed.json"
    given.write_text(json.dumps(whole))
    assert script.main([str(given)]) == 0
    page = script.PAGE.read_text()
    assert "old" not in page
    assert "| idle p95 ms | 40 | 20 | 0.5 × |" in page
    assert (
        "| `search` 1,000,000 | search p95, one million windows, warm, idle | at most 15 ms | 40 | not met |"
        in page
    )
    assert "The machine was busy" in page
    assert (tmp_path / "results" / "search-1000000.json").exists()
    assert script.main(["--check"]) == 0
    script.PAGE.write_text(page.replace("| 40 |", "| 4 |"))
    assert script.main(["--check"]) == 1
