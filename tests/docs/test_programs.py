"""What the pages say that programs print is what they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.console import ROOT, Terminal, matches
from tests.docs.programs import programs, run

PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
    if programs(page.read_text(encoding="utf-8"))
]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_program_of_a_page_prints_what_the_page_says(page: Path, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    found = programs(page.read_text(encoding="utf-8"))
    try:
        printed = run(found, terminal)
    finally:
        terminal.close()
    wrong = [
        f"{program.text}prints:\n" + "\n".join(lines)
        for program, lines in zip(found, printed, strict=True)
        if not matches(program.expected, lines)
    ]
    assert not wrong, "\n\n".join(wrong)


def test_the_python_guide_shows_programs() -> None:
    assert "python" in [page.stem for page in PAGES]


def test_a_program_ends_where_its_output_begins() -> None:
    found = programs("```python\na\n```\n\n```text\n1\n\n2\n```\n\nwords\n\n```python\nb\n```\n\nwords\n")
    assert [(program.text, program.expected) for program in found] == [("a\n", ["1", "", "2"]), ("b\n", [])]
