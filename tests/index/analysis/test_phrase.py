"""Phrases of a query, and the texts that hold them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.analysis.fields import analyse
from unabridged.index.analysis.phrase import TOKENS_MOST, holds, phrase_of

words = st.lists(st.text("abcé", min_size=1, max_size=3), min_size=1, max_size=6).map(" ".join)


def held(phrase: str, text: str) -> bool:
    wanted = phrase_of(phrase)
    assert wanted is not None
    return holds(wanted, analyse(text))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("connection refused", "error: Connection refused (111)"),
        ("connection refused", "connection-refused"),
        ("connection refused", "connection\n    refused"),
        ("数据库迁移", "先做数据库迁移吧"),
        ("E0599 出现", "报错E0599出现"),
        ("テスト", "全ﾃｽﾄ通過"),
        ("Straße", "STRASSE"),
        ("user by id", "getUserById()"),
    ],
)
def test_a_text_holds_words_that_follow_each_other(phrase: str, text: str) -> None:
    assert held(phrase, text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("connection refused", "refused connection"),
        ("connection refused", "connection was refused"),
        ("connection refused", "disconnection refused"),
        ("connection refused", "connection refusedly"),
        ("数据库", "数据和库"),
        ("abc def", "xabc defx"),
    ],
)
def test_other_orders_gaps_and_longer_words_are_not_the_phrase(phrase: str, text: str) -> None:
    assert not held(phrase, text)


@given(st.text(st.characters(), min_size=1, max_size=60))
def test_a_text_holds_itself(text: str) -> None:
    assert phrase_of(text) is None or held(text, f"before {text} after")


@given(words, words, words)
def test_a_phrase_is_held_wherever_it_stands_in_a_text(before: str, phrase: str, after: str) -> None:
    assert held(phrase, f"{before} {phrase} {after}")


def test_signs_alone_are_no_phrase() -> None:
    assert phrase_of("-- !? …") is None


def test_a_phrase_has_a_longest_length() -> None:
    phrase = phrase_of("word " * 1_000)
    assert phrase is not None
    assert sum(map(len, phrase.parts)) == TOKENS_MOST
