"""Token estimates: cheap, stable, and on the safe side where a budget depends on them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unabridged.schema import tokens


def test_an_empty_text_has_no_tokens() -> None:
    assert tokens.by_length(0) == tokens.by_script(b"") == tokens.strict(b"") == 0


def test_the_estimate_by_length_rounds_up() -> None:
    assert [tokens.by_length(count) for count in (1, 4, 5, 8)] == [1, 1, 2, 2]


@given(st.text(max_size=50), st.text(max_size=50))
def test_the_estimate_by_script_grows_with_the_text_and_hardly_depends_on_where_it_is_cut(
    a: str, b: str
) -> None:
    one, two, both = (tokens.by_script(text.encode("utf-8", "replace")) for text in (a, b, a + b))
    assert max(one, two) <= both <= one + two


@given(st.text(max_size=80))
def test_the_strict_estimate_is_never_below_the_other(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert tokens.strict(data) >= tokens.by_script(data)


def test_scripts_that_cost_more_are_estimated_higher_than_their_length() -> None:
    for text in ("数据库迁移" * 20, "0x7ffe93a1" * 20, "QUJDREVGR0hJSktM" * 20):
        assert tokens.by_script(text.encode()) > tokens.by_length(len(text)), text


def test_english_prose_is_within_a_third_of_a_quarter_of_its_length() -> None:
    text = "The quick brown fox jumps over the lazy dog, then goes home to sleep. " * 10
    assert 3 / 4 <= tokens.by_script(text.encode()) / tokens.by_length(len(text)) <= 4 / 3
