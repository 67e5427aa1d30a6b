"""The generated pages of docs/reference are what the code says now."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from types import ModuleType

import pytest

from tests.repository.source import ROOT


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """Load scripts/reference, which has no .py at its end."""
    loader = importlib.machinery.SourceFileLoader("reference_script", str(ROOT / "scripts" / "reference"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_every_generated_page_is_up_to_date(script: ModuleType) -> None:
    pages = script.pages()
    assert "errors.md" in pages
    assert [name for name, text in pages.items() if script.current(name) != text] == [], "run `make docs`"


def test_no_page_lies_in_the_reference_that_nothing_generates(script: ModuleType) -> None:
    generated = {name for name, _, _ in script.PAGES}
    assert sorted({path.name for path in script.FOLDER.glob("*.md")} - generated) == []


def test_a_cell_keeps_its_bars_and_breaks_to_itself(script: ModuleType) -> None:
    assert script.table(("a", "b"), [("x|y", "one\ntwo")]) == "| a | b |\n| --- | --- |\n| x\\|y | one two |"
