"""Text that steers a terminal is shown, not obeyed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.double import HOSTILE
from unabridged.cli.safe import one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b31m", "\\x9b31m"),
        ("a\rb", "a\\rb"),
        ("a\x00\x07\x08\x7f", "a\\x00\\x07\\x08\\x7f"),
        ("evil\u202egnp.exe", "evil\\u202egnp.exe"),
        ("\u2066x\u2069\u200f\u061c", "\\u2066x\\u2069\\u200f\\u061c"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\U000e0041tag", "\\U000e0041tag"),
        ("line\u2028para\u2029", "line\\u2028para\\u2029"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        ("数据库 テスト naïve миграцию 👩‍💻", "数据库 テスト naïve миграцию 👩‍💻"),
    ],
)
def test_what_steers_a_terminal_is_written_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_no_control_or_reordering_character_survives(text: str) -> None:
    left = [
        character
        for character in visible(text)
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in "\n\t"
    ]
    assert left == []
    directions = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not any(unicodedata.bidirectional(character) in directions for character in visible(text))


def test_making_text_visible_twice_changes_nothing_more() -> None:
    assert visible(visible(HOSTILE)) == visible(HOSTILE)


def test_text_on_one_line_has_no_breaks() -> None:
    assert one_line(" a\n\tb\r\nc ") == "a b c"
