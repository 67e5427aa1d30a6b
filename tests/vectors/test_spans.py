"""Texts are cut into spans by tokens, at lines and sentences."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from unabridged.vectors.spans import CONTEXT, FRESH, MOST_CHARS, most_of, spans, tail

WORD = re.compile(r"\w+|[^\w\s]")


def tokens(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in WORD.finditer(text)]


def test_a_short_text_is_one_span() -> None:
    assert spans("a short text", tokens("a short text")) == [(0, 12)]
    assert spans("", []) == []
    assert spans(" \n", tokens(" \n")) == []


def test_a_span_ends_behind_a_sentence_in_its_second_half() -> None:
    text = "one two three. " * 100
    cut = spans(text, tokens(text))
    assert all(text[end - 1] == "." for _, end in cut)
    lines = "word word word\n" * 100
    assert all(lines[end : end + 1] in ("\n", "") for _, end in spans(lines, tokens(lines)))


@given(st.text(alphabet=st.sampled_from("ab .\n数🙂\u0301"), max_size=3_000), st.integers(1, 6))
def test_spans_follow_each_other_and_are_bounded(text: str, most: int) -> None:
    held = tokens(text)
    cut = spans(text, held, most)
    assert len(cut) <= most
    assert all(0 <= start < end <= len(text) for start, end in cut)
    assert all(first[1] <= second[0] for first, second in pairwise(cut))
    assert all(end - start <= MOST_CHARS for start, end in cut)
    assert all(len([at for at in held if start <= at[0] < end]) <= FRESH for start, end in cut)
    if len(cut) < most and held and not any(end - start > MOST_CHARS for start, end in held):
        assert cut[-1][1] == held[-1][1]


def test_a_run_without_a_break_is_cut_by_letters() -> None:
    text = "x" * 10_000
    assert spans(text, tokens(text)) == [(0, MOST_CHARS)]


def test_the_end_of_a_text_is_its_last_tokens() -> None:
    text = " ".join(f"w{number}" for number in range(100))
    assert tail(text, tokens(text)).split() == [f"w{number}" for number in range(100 - CONTEXT, 100)]
    assert tail("few words", tokens("few words")) == "few words"


def test_output_of_tools_has_fewer_spans_than_what_people_write() -> None:
    assert most_of("tool-result") < most_of("text")
