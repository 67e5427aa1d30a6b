"""Whether a text holds a phrase."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.analysis.phrase import holds, phrase_tokens


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("connection refused", "error: Connection refused (111)"),
        ("connection refused", "connection-refused"),
        ("connection refused", "connection\n    refused"),
        ("foo_bar.baz()", "we call foo_bar.baz() here"),
        ("E0599 出现", "报错E0599出现"),
        ("数据库迁移", "先做数据库迁移吧"),
        ("テスト", "全ﾃｽﾄ通過"),
        ("naïve approach", "a NAÏVE approach"),
        ("ship 🚀 it", "ship 🚀it"),
        ("Straße", "STRASSE"),
    ],
)
def test_a_text_holds_words_that_follow_each_other(phrase: str, text: str) -> None:
    assert holds(tuple(phrase_tokens(phrase)), text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("connection refused", "refused connection"),
        ("connection refused", "connection was refused"),
        ("connection refused", "disconnection refused"),
        ("connection refused", "connection refusedly"),
        ("数据库", "数据和库"),
    ],
)
def test_other_orders_gaps_and_longer_words_are_not_the_phrase(phrase: str, text: str) -> None:
    assert not holds(tuple(phrase_tokens(phrase)), text)


@given(st.text(st.characters(), min_size=1, max_size=60))
def test_a_text_holds_itself(text: str) -> None:
    tokens = tuple(phrase_tokens(text))
    assert not tokens or holds(tokens, f"before {text} after")
