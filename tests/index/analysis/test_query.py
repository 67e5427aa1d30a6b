"""From a query as people write it to a plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.analysis.plan import Plan
from unabridged.index.analysis.query import CLAUSES_MOST, QUERY_MOST, plan_query


def forms_of(plan: Plan, source: str) -> list[str]:
    (clause,) = [clause for clause in plan.clauses if clause.source == source]
    return [form.term for form in clause.forms]


@given(st.text(st.characters(), max_size=200))
def test_equal_queries_have_equal_plans(text: str) -> None:
    first, second = plan_query(text), plan_query("".join(list(text)))
    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize("text", ["", "   ", "*", "()", '""', '"', "...", "\0\0", "—"])
def test_a_query_of_nothing_but_signs_is_empty(text: str) -> None:
    assert plan_query(text).empty


def test_a_word_is_looked_for_in_its_inflections_too() -> None:
    assert {"migrations", "migrated", "migrate"} <= set(forms_of(plan_query("migration"), "migration"))


@pytest.mark.parametrize("name", ["get_migrations", "migrations.py", "getMigrations", "migrations2", "E0599"])
def test_a_name_is_never_inflected(name: str) -> None:
    (clause,) = plan_query(name).clauses
    assert clause.kind == "name"
    assert {form.term for form in clause.forms}.isdisjoint({"migration", "migrate", "migrated"})


def test_the_whole_of_a_name_counts_more_than_its_parts() -> None:
    (clause,) = plan_query("foo_bar.baz()").clauses
    assert clause.forms[0].term == "foo_bar.baz"
    assert clause.forms[0].weight > max(form.weight for form in clause.forms[1:])


def test_grammar_counts_little_beside_matter() -> None:
    weights = {clause.source: clause.weight for clause in plan_query("where is the ledger").clauses}
    assert max(weights["where"], weights["is"], weights["the"]) < weights["ledger"] / 2


def test_a_term_stands_in_one_clause_only() -> None:
    plan = plan_query("foo_bar foo bar test tests testing foo")
    terms = [form.term for clause in plan.clauses for form in clause.forms]
    assert len(terms) == len(set(terms))


def test_quotes_mean_a_phrase_and_its_words_still_count() -> None:
    plan = plan_query('retry after "connection refused" today')
    assert [phrase.parts for phrase in plan.phrases] == [(("connection", "refused"),)]
    assert {clause.source for clause in plan.clauses} >= {"retry", "connection", "refused", "today"}
    assert not plan.strict


def test_a_query_of_nothing_but_phrases_is_strict() -> None:
    assert plan_query('"connection refused"').strict
    assert plan_query("\u201cconnection refused\u201d").strict
    assert not plan_query('"connection refused').strict
    assert not plan_query('"connection refused" now').strict


def test_a_plan_says_how_much_of_a_long_query_it_leaves_out() -> None:
    assert plan_query("x" * (QUERY_MOST + 7)).omitted == 7
    many = " ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(2_000))
    plan = plan_query(many)
    assert len(plan.clauses) == CLAUSES_MOST
    assert plan.omitted > 0


def test_names_stay_in_a_plan_that_is_cut() -> None:
    many = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600))
    assert "apply_secrets" in {clause.source for clause in plan_query(f"{many} apply_secrets").clauses}
