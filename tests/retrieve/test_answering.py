"""Whether a text says something with words, asks with them, or prints them."""

from __future__ import annotations

import pytest

from unabridged.retrieve.answering import Standing, Words, answers

WORDS = Words({"export": ("export", "exports"), "stall": ("stall", "stalls", "stalled")})


@pytest.mark.parametrize(
    "text",
    [
        "does the export stall?",
        "why the export stalls",
        "i will look why the export stalls and tell you.",
        "they asked why the export stalled",
        "should we restart it when the export stalls?",
        "warum der export stalls",
    ],
)
def test_words_that_stand_in_questions_only_are_asked_with(text: str) -> None:
    assert WORDS.standing(text, tool=False) == Standing(1.0, 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "2031-04-02 07:00:01 export stalled",
        "[warn] export: stalled",
        "src/export.py:12: export stalls",
        "nov 02 10:11:00 export stalls",
    ],
)
def test_words_that_stand_in_lines_of_programs_only_are_printed(text: str) -> None:
    assert WORDS.standing(text, tool=False) == Standing(0.0, 1.0)


def test_a_sentence_that_states_something_counts_whatever_stands_beside_it() -> None:
    text = "why does the export stall? the export stalls since it waits for itself."
    assert WORDS.standing(text, tool=False) == Standing(0.0, 0.0)
    assert WORDS.standing("does the export run? it stalled.", tool=False) == Standing(0.5, 0.0)


def test_what_a_tool_wrote_is_printed_and_a_part_of_a_word_is_no_word() -> None:
    assert WORDS.standing("the export stalls", tool=True) == Standing(0.0, 1.0)
    assert WORDS.standing("will exporters be installed?", tool=False) == Standing(0.0, 0.0)


@pytest.mark.parametrize("text", ["noted.", "i will look.", "do you want me to look it up for you?", "", "?"])
def test_who_acknowledges_or_asks_back_does_not_answer(text: str) -> None:
    assert not answers(text)


def test_who_states_something_answers() -> None:
    assert answers("good question. the fan turns the wrong way.")
