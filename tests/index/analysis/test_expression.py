"""The explicit query mode."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.index.analysis.expression import EXPRESSION_MOST, plan_expression
from unabridged.index.analysis.matching import matches
from unabridged.index.analysis.plan import All, Any, Not, Phrase

TEXT = "the retry loop in worker.py takes the lock: connection refused, error E0599"


@pytest.mark.parametrize(
    "query",
    [
        "retry lock",
        "retry AND lock",
        "retry OR absent",
        "retry -absent",
        "retry NOT absent",
        "NOT absent retry",
        "(absent OR retry) AND (lock OR missing)",
        '"connection refused"',
        'retry -"refused connection"',
        "worker.py E0599",
        "retry NOT (absent OR missing)",
        "retry AND NOT NOT lock",
    ],
)
def test_an_expression_matches_what_it_says(query: str) -> None:
    assert matches(plan_expression(query), TEXT)


@pytest.mark.parametrize(
    "query",
    [
        "retry absent",
        "absent OR missing",
        "retry -lock",
        '"refused connection"',
        "retry NOT (absent OR lock)",
    ],
)
def test_an_expression_does_not_match_anything_else(query: str) -> None:
    assert not matches(plan_expression(query), TEXT)


def test_or_binds_less_than_words_side_by_side() -> None:
    root = plan_expression("retry lock OR other -thing").expression
    assert isinstance(root, Any)
    assert [type(node) for node in root.nodes] == [All, All]


def test_what_must_not_be_there_is_no_clause_to_score_by() -> None:
    plan = plan_expression('retry -lock NOT "some phrase" "kept phrase"')
    assert [clause.source for clause in plan.clauses] == ["retry"]
    assert [phrase.source for phrase in plan.phrases] == ["kept phrase"]
    assert isinstance(plan.expression, All)
    assert any(isinstance(node, Not) and isinstance(node.node, Phrase) for node in plan.expression.nodes)


@pytest.mark.parametrize(
    ("query", "at"),
    [
        ('retry "lock', 6),
        ("(retry", 6),
        ("retry)", 5),
        ("retry OR", 8),
        ("AND retry", 0),
        ("retry ()", 7),
        ("", 0),
        ("* retry", 0),
    ],
)
def test_a_mistake_is_told_with_its_place(query: str, at: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        plan_expression(query)
    assert caught.value.details["at"] == at


def test_an_expression_that_only_excludes_is_refused() -> None:
    with pytest.raises(InvalidInput):
        plan_expression("NOT retry")


def test_an_expression_has_a_longest_length_and_a_deepest_level() -> None:
    with pytest.raises(LimitExceeded):
        plan_expression("a" * (EXPRESSION_MOST + 1))
    with pytest.raises(LimitExceeded):
        plan_expression("(" * 100 + "retry" + ")" * 100)


@given(st.lists(st.sampled_from([*'ab ()"-*\0é数', " AND ", " OR ", " NOT "]), max_size=30).map("".join))
def test_any_string_is_a_plan_or_a_told_mistake(text: str) -> None:
    try:
        plan = plan_expression(text)
    except InvalidInput as error:
        told = error.details
    else:
        told = {"field": "query"}
        assert plan.expression is not None
    assert told["field"] == "query"
