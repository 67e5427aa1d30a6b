"""Where a plan's terms stand in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.analysis.query import plan_query
from unabridged.index.analysis.spans import spans


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
    places, _ = spans(plan_query(query), text)
    assert sorted(text[start:end] for start, end in places) == sorted(found)


@given(st.text(st.characters(), max_size=60), st.text(st.characters(), max_size=120))
def test_spans_are_ranges_of_the_text(query: str, text: str) -> None:
    places, _ = spans(plan_query(query), text)
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)
