"""What the pages say that commands print is what they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.console import ROOT, Terminal, blocks, matches, prepare, steps

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_prints_what_the_page_says(page: Path, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    text = page.read_text(encoding="utf-8")
    wrong: list[str] = []
    try:
        prepare(terminal, text)
        for block in blocks(text):
            for step in steps(block):
                status, printed = terminal.run(step.command)
                if status != step.status or not matches(step.expected, printed):
                    told = "\n".join(printed)
                    wrong.append(
                        f"$ {step.command}\nexit {status} (the page says {step.status}), prints:\n{told}"
                    )
    finally:
        terminal.close()
    assert not wrong, "\n\n".join(wrong)


def test_every_guide_shows_commands() -> None:
    assert len(PAGES) >= 8
    for page in PAGES:
        found = [step.command for block in blocks(page.read_text(encoding="utf-8")) for step in steps(block)]
        assert any(command.startswith("una ") for command in found), page.name


def test_a_block_is_cut_into_commands_and_their_output() -> None:
    found = steps("$ one   # exit 3\nprinted\n\nmore\n$ two \\\n>   three\n$ four\n")
    assert [(step.command, step.status, step.expected) for step in found] == [
        ("one", 3, ["printed", "", "more"]),
        ("two \\\n  three", 0, []),
        ("four", 0, []),
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        (["a b"], ["a b"], True),
        (["a …"], ["a anything"], True),
        (["a …"], ["b anything"], False),
        (["…", "z"], ["x", "y", "z"], True),
        (["…", "z"], ["z"], True),
        (["…", "z"], ["x"], False),
        ([], ["x"], False),
        (["a.c"], ["abc"], False),
        (["a"], ["a", "b"], False),
    ],
)
def test_an_ellipsis_stands_for_anything(expected: list[str], actual: list[str], same: bool) -> None:
    assert matches(expected, actual) is same
