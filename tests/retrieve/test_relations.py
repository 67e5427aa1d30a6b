"""Which queries ask for a relation in plain words."""

from __future__ import annotations

import pytest

from unabridged.retrieve.relations import Asked, given, recognised


@pytest.mark.parametrize(
    ("query", "relation", "topic", "passed"),
    [
        ("What was my last question?", "question", "", 0),
        ("what did I ask you about the flash?", "question", "the flash", 0),
        ("what did i ask before that", "question", "", 1),
        ("What did I ask you to do?", "request", "", 0),
        ("How did I correct you about Units?", "correction", "Units", 0),
        ("what did you answer", "answer", "", 0),
        ("What did we decide about DEC-0054?", "decision", "DEC-0054", 0),
        ("what did we finally agree on for the CRC", "decision", "the CRC", 0),
        ("what was decided", "decision", "", 0),
        ("What failed when we tried the A/B pages?", "failure", "the A/B pages", 0),
        ("what have we tried that didn\u2019t work for OTA", "failure", "OTA", 0),
    ],
)
def test_a_whole_query_that_asks_for_a_relation_is_known(
    query: str, relation: str, topic: str, passed: int
) -> None:
    found = recognised(query)
    assert found is not None
    assert (found.relation, found.topic, found.passed, found.how) == (relation, topic, passed, "recognised")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "why did the flash write fail",
        "what did Caroline decide about the trip",
        "what did the parser decide",
        "last question of the exam",
        "what was the last question in the survey about",
        "we decided what to do",
        "decision",
        "What is my last name?",
        "when did we decide to use SQLite",
        "what did we decide about x " * 40,
    ],
)
def test_any_other_query_is_taken_by_its_words(query: str) -> None:
    assert recognised(query) is None


def test_a_relation_that_is_given_takes_the_query_for_its_topic() -> None:
    assert given("latest-decision", " retry budget ") == Asked("decision", "retry budget")
    assert given("latest-decision", "") == Asked("decision")
    assert given("latest-decision", "what did we decide about the CRC?") == Asked("decision", "the CRC")
    assert given("latest-answer", "what did we decide").topic == "what did we decide"
