"""Which sentence of a conversation answers a question: the deciding one, not the one that is most like the question."""

from __future__ import annotations

import pytest

from unabridged.retrieve.hintanswer import Answer, Piece, answer
from unabridged.retrieve.hintintent import intent_of
from unabridged.retrieve.hintmatch import Needles

PUMP = (
    "Which valve shall the coolant pump have? The coolant pump drips.",
    "There are two options for the coolant pump: a ball valve or a gate valve. I'd lean towards the gate valve.",
    "Ball valve then.",
    "All right: the ball valve, with a seat of PTFE.",
    "It still drips at night.",
    "I suspected the gasket and replaced it. That made no difference.",
    "And now?",
    "Found it: the seat was mounted the wrong way round. I turned it, and since then it is dry.",
    "How long do we wait before the alarm?",
    "The alarm waits 40 seconds.",
    "Make that two minutes, the night shift complains.",
    "Changed, and I told Irena so.",
)


def asked(question: str, talk: tuple[str, ...] = PUMP) -> Answer:
    intent = intent_of(question)
    assert intent.kind == "historical"
    pieces = [
        Piece("assistant" if at % 2 else "user", text, at % 2 == 0, at // 2) for at, text in enumerate(talk)
    ]
    return answer(intent, Needles(intent.words, kin=True), pieces)


@pytest.mark.parametrize(
    ("question", "piece", "words"),
    [
        ("Which valve did we decide on for the coolant pump?", 2, "Ball valve then."),
        ("How did we fix the coolant pump?", 7, "since then it is dry"),
        ("What did we try on the coolant pump that made no difference?", 5, "made no difference"),
        ("How long did we say the alarm waits?", 10, "two minutes"),
        ("Who was told about the alarm, did you say?", 11, "Irena"),
    ],
)
def test_the_sentence_that_answers_is_chosen(question: str, piece: int, words: str) -> None:
    found = asked(question)
    assert found.chosen[0][0] == piece
    assert words in found.text
    assert found.fits


def test_an_answer_may_stand_in_other_words_for_the_same() -> None:
    found = asked(
        "Why was the gauge so sluggish back then?", ("The gauge is slow.", "It is slow because of the cable.")
    )
    assert "because of the cable" in found.text
    assert found.cued


def test_nobody_answered_where_an_agent_only_said_that_it_heard() -> None:
    assert asked("What did we decide about the gauge?", ("Which gauge shall we take?", "All right.")).empty
    assert not asked(
        "What did we decide about the gauge?", ("Which gauge?", "The digital gauge with a red needle.")
    ).empty
    assert asked("What did we decide about the gauge?", ()).empty


def test_a_long_text_does_not_win_by_its_length() -> None:
    report = (
        "# Report\n\n"
        + "The tank is filled. The level of the tank is shown. Alarms of the tank are listed. " * 30
    )
    talk = ("Write the report.", report, "And the tank limit?", "The tank limit is 80 percent.")
    assert asked("What limit did we set for the tank?", talk).chosen[0][0] == 3
