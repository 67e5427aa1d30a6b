"""Which sentences tell what, and which only look as if they did."""

from __future__ import annotations

import pytest

from unabridged.errors import InvalidSetting
from unabridged.retrieve import cues
from unabridged.retrieve.telling import LOOKED, told


def sure(text: str, relation: str, own: tuple[str, ...] = ()) -> list[str]:
    return [text[item.start : item.end] for item in told(text, relation, own) if item.sure]


def likely(text: str, relation: str) -> list[str]:
    return [text[item.start : item.end] for item in told(text, relation) if not item.sure]


def test_a_question_has_a_mark_or_is_only_likely() -> None:
    assert sure("Fine. Which CRC is in the tree?", "question") == ["Which CRC is in the tree?"]
    assert likely("why does it roll back", "question") == ["why does it roll back"]
    assert likely("Can you run the tests?", "question") == ["Can you run the tests?"]
    assert told("See https://example.org/?a=b for more.", "question") == []


@pytest.mark.parametrize(
    "text",
    [
        "Please write it down.",
        "Could you also check crc.c?",
        "Ok, fix the parser",
        "Run it, please.",
        "let's add a test",
    ],
)
def test_a_request_is_told_by_how_it_is_put(text: str) -> None:
    assert sure(text, "request") == [text]


def test_what_is_only_told_is_no_request() -> None:
    assert sure("The tests pass on both boards.", "request") == []
    assert sure("It was fixed yesterday.", "request") == []


@pytest.mark.parametrize(
    "text",
    [
        "No, that's not what I asked for.",
        "Correction: the limit is 50.",
        "That\u2019s wrong, it is hPa.",
        "I meant slot B.",
    ],
)
def test_a_correction_is_told_by_its_words(text: str) -> None:
    assert sure(text, "correction") == [text]


def test_a_no_of_another_kind_corrects_nothing() -> None:
    assert sure("No problem, thanks.", "correction") == []
    assert sure("What is wrong with the log?", "correction") == []
    assert likely("No, later.", "correction") == ["No, later."]


@pytest.mark.parametrize(
    "text",
    [
        "We decided to keep the ring.",
        "Decision: two pages.",
        "Agreed on A/B pages.",
        "OK, let's go with SQLite.",
        "It was decided against a lock.",
        "I'll go with the second one.",
    ],
)
def test_a_decision_is_told_by_its_words(text: str) -> None:
    assert sure(text, "decision") == [text]


@pytest.mark.parametrize(
    "text",
    [
        "What did we decide about the ring?",
        "We haven't decided on that yet.",
        "Nothing is decided until we decide on the format.",
        "Decision trees are slow.",
        "Should we go with SQLite?",
    ],
)
def test_what_is_not_decided_is_no_decision(text: str) -> None:
    assert sure(text, "decision") == []


@pytest.mark.parametrize(
    "text",
    [
        "We tried a bigger budget, but it hung again.",
        "Raising it to 10 didn't work.",
        "That was a dead end.",
        "No luck with -O2.",
    ],
)
def test_a_failed_attempt_is_told_by_its_words(text: str) -> None:
    assert sure(text, "failure") == [text]


def test_a_failure_that_nobody_had_is_none() -> None:
    assert (
        sure("If it fails because of the disk, retry.", "failure")
        == ["If it fails because of the disk, retry."][1:]
    )
    assert sure("Did it not work?", "failure") == []


def test_a_list_stands_with_the_decision_that_introduces_it() -> None:
    text = "Done.\n\nWhat was decided:\n\n- two pages\n- no retries\n\nAll tests pass."
    assert sure(text, "decision") == ["What was decided:\n\n- two pages\n- no retries"]


def test_places_are_those_of_the_text_whatever_its_letters_are() -> None:
    text = "\u0130\u0130 \u2014 na\u00efve. We decided on \u00dcbung. \U0001f600 end"
    assert sure(text, "decision") == ["We decided on \u00dcbung."]


def test_both_ends_of_a_long_message_are_read() -> None:
    text = "We agreed on the head.\n" + "x y z\n" * LOOKED + "\nWe agreed on the tail."
    assert sure(text, "decision") == ["We agreed on the head.", "We agreed on the tail."]


def test_ones_own_cues_count_as_those_that_ship() -> None:
    own = ("decision: beschlossen ist", "latest-failure: ging nicht")
    assert sure("Beschlossen ist: zwei Seiten.", "decision", own) == ["Beschlossen ist: zwei Seiten."]
    assert sure("Das ging nicht.", "failure", own) == ["Das ging nicht."]
    assert sure("Das ging nicht.", "decision", own) == []
    cues.check(own)
    for wrong in ("beschlossen", "mood: happy", "decision:", "decision: " + "x" * 300, "decision: on <x>"):
        with pytest.raises(InvalidSetting, match="cue"):
            cues.check((wrong,))


def test_an_index_word_stands_for_every_phrase_of_a_relation() -> None:
    for relation in ("decision", "failure", "correction"):
        assert cues.cues_of(relation).words
    assert {"decided", "agreed"} <= cues.cues_of("decision").words
    assert "beschlossen" in cues.cues_of("decision", ("decision: beschlossen ist",)).words
