"""docs/quality.md: its tables are what the results say."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

RESULT: dict[str, Any] = {
    "suite": "locomo",
    "n": 2,
    "metrics": {"turn_recall@10": 50.0, "turn_mrr": 25.0},
    "intervals": {"turn_recall@10": [0.0, 100.0], "turn_mrr": [0.0, 50.0]},
    "floor": {"turn_recall@10": 25.0},
    "gain": {"turn_recall@10": {"difference": 25.0, "interval": [-50.0, 100.0]}},
    "categories": {"a|b": {"n": 2, "turn_recall@10": 50.0}},
    "statuses": {"ok": 2},
}


@pytest.fixture
def script() -> ModuleType:
    """Load scripts/quality, which has no .py at its end."""
    loader = importlib.machinery.SourceFileLoader("quality_script", str(ROOT / "scripts" / "quality"))
    spec = importlib.util.spec_from_loader("quality_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_page_is_what_its_results_say(script: ModuleType) -> None:
    assert script.main(["--check"]) == 0, "run scripts/quality"


def test_a_result_is_taken_in_and_drawn(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "quality.md"
    page.write_text("before\n<!-- begin results -->\nold\n<!-- end results -->\nafter\n")
    monkeypatch.setattr(script, "PAGE", page)
    monkeypatch.setattr(script, "RESULTS", tmp_path / "quality")
    given = tmp_path / "locomo-x.json"
    given.write_text(json.dumps(RESULT))
    assert script.main(["--check"]) == 1
    assert script.main([str(given)]) == 0
    assert script.main(["--check"]) == 0
    text = page.read_text()
    assert "| `turn_recall@10` | 50.0 (0.0 to 100.0) | 25.0 | +25.0 (-50.0 to +100.0) |" in text
    assert "| a\\|b | 2 | 50.0 |" in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_several_suites_stand_in_one_table(script: ModuleType) -> None:
    figures = dict.fromkeys(("recall@1", "recall@3", "recall@10", "mrr", "ndcg@10"), 50.0)
    part = {
        **RESULT,
        "about": "names",
        "metrics": {f"message_{name}": value for name, value in figures.items()},
    }
    part |= {"floor": {"message_mrr": 25.0}, "gain": {}}
    told = script.measures({"suites": {"exact": part}})
    assert "| `exact` | 2 | 50.0 | 50.0 | 50.0 | 50.0 | 50.0 |  | 25.0 |" in told
    assert "exact: names\n\n| category |" in script.categories({"suites": {"exact": part}})
