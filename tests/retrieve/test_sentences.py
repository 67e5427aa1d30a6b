"""Where sentences begin and end, and what is none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unabridged.retrieve.sentences import is_question, sentences, with_list


def parts(text: str) -> list[str]:
    return [text[item.start : item.end] for item in sentences(text)]


def test_a_sentence_ends_at_its_mark_and_not_at_a_dot_inside_it() -> None:
    assert parts("Use v1.2.3, e.g. from src/crc.c. Then stop! Why?") == [
        "Use v1.2.3, e.g. from src/crc.c.",
        "Then stop!",
        "Why?",
    ]
    assert parts("气压一直是 0。日志在哪里？ Look.") == ["气压一直是 0。", "日志在哪里？", "Look."]


def test_a_wrapped_line_goes_on_and_a_new_one_begins_a_sentence() -> None:
    assert parts("We wait for the flag\nand nothing else.\nThe rest is\n\nopen") == [
        "We wait for the flag\nand nothing else.",
        "The rest is",
        "open",
    ]


def test_quoted_lines_and_fenced_code_are_nobodys_sentences() -> None:
    assert parts("Look:\n> is it so?\n```\nreally?\n```\nIt is.") == ["Look:", "It is."]
    assert parts("```\nnever closed?") == []


def test_items_of_a_list_belong_to_the_sentence_that_introduces_them() -> None:
    text = "Decided:\n\n- two pages\n- no retries. At all.\n\nThe tests pass."
    found = sentences(text)
    assert text[found[0].start : with_list(text, found, 0)].endswith("At all.")
    assert with_list(text, found, len(found) - 1) == len(text)


def test_a_question_ends_as_one() -> None:
    text = 'Is it "done?" See https://x.org/?a=b now. (Really?) '
    found = sentences(text)
    assert [is_question(text, item) for item in found] == [True, False, True]


@given(st.text(alphabet="aB .?!\n-`>1)界。", max_size=80))
def test_sentences_of_any_text_are_in_order_and_do_not_overlap(text: str) -> None:
    last = 0
    for item in sentences(text):
        assert last <= item.start < item.end <= len(text)
        assert text[item.start : item.end].strip()
        last = item.end
