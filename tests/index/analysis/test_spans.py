"""Where a plan's terms stand in a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.analysis.query import plan_query
from unabridged.index.analysis.spans import ODD, alone, by_needle, by_pattern, in_runs, needles_of, spans


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("foo_bar.baz()", "call foo_bar.baz() now", ["foo_bar.baz"]),
        ("user by id", "then getUserById(x)", ["User", "By", "Id"]),
        ("getUserById", "then getUserById(x)", ["getUserById"]),
        ("migrations", "Migration and MIGRATE", ["Migration", "MIGRATE"]),
        ("E0599", "报错E0599出现", ["E0599"]),
        ("数据库", "做数据库迁移", ["数据库"]),
        ("数据库", "做数据", ["数据"]),
        ("naive", "so naïve!", ["naïve"]),
        ("テスト", "全ﾃｽﾄ通過", ["ﾃｽﾄ"]),
        (
            '"connection refused" retry',
            "retry: connection\nrefused",
            ["retry", "connection\nrefused"],
        ),
        ("cat", "concatenate", []),
    ],
)
def test_terms_are_found_where_they_stand(query: str, text: str, found: list[str]) -> None:
    places, _ = spans(needles_of(plan_query(query)), text)
    assert sorted(text[start:end] for start, end in places) == sorted(found)


@given(st.text(st.characters(), max_size=60), st.text(st.characters(), max_size=120))
def test_spans_are_ranges_of_the_text(query: str, text: str) -> None:
    places, _ = spans(needles_of(plan_query(query)), text)
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


LETTERS = st.sampled_from("aAbB sStT_.-/9éÉμ数据 库\n")


@given(
    st.text(LETTERS, max_size=30) | st.text(LETTERS, max_size=8).map('"{}"'.format),
    st.text(LETTERS, max_size=80),
)
def test_what_each_needle_finds_is_what_the_pattern_finds(query: str, text: str) -> None:
    needles = needles_of(plan_query(query))
    if not needles.odd and not ODD.search(text):
        assert by_needle(needles, text) == by_pattern(needles, text)


@given(st.text(LETTERS, max_size=30), st.text(st.sampled_from("aAbBsS90_ "), max_size=80))
def test_words_are_found_in_the_runs_of_a_text_as_each_is_by_itself(query: str, text: str) -> None:
    words, lower = needles_of(plan_query(query)).plain, text.lower()
    assert sorted(in_runs(words, text, lower)) == sorted(alone(words, text, lower))


def test_every_letter_that_lower_case_does_not_settle_is_odd() -> None:
    letters = [chr(code) for code in range(0x110000)]
    plain = [letter for letter in letters if not ODD.match(letter)]
    assert all(len(letter.lower()) == 1 for letter in plain)
    cased = {letter for letter in plain if letter.lower() != letter or letter.upper() != letter}
    for letter in cased:
        assert re.fullmatch(re.escape(letter.lower()), letter, re.IGNORECASE)
    by_lower = dict[str, set[str]]()
    for letter in cased:
        by_lower.setdefault(letter.lower(), set()).add(letter)
    everything = "".join(sorted(cased))
    for lower, same in by_lower.items():
        assert set(re.findall(re.escape(lower), everything, re.IGNORECASE)) == same
