"""Any text is kept by PostgreSQL in a form that sorts as the text does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.store.postgres.text import escape, unescape

ODD = st.sampled_from("\x00\x01\x02a\ud7ff\ud800\udfff\ue000Āࣿ\U0010ffff")
TEXTS = st.text(st.one_of(ODD, st.characters(codec=None)), max_size=10)


@given(TEXTS)
def test_any_text_comes_back(text: str) -> None:
    assert unescape(escape(text)) == text


@given(TEXTS)
def test_an_escaped_text_is_one_that_postgres_can_hold(text: str) -> None:
    escaped = escape(text)
    assert "\x00" not in escaped
    escaped.encode("utf-8")


@given(TEXTS, TEXTS)
def test_escaped_texts_compare_as_the_texts_do(one: str, two: str) -> None:
    assert (escape(one).encode() < escape(two).encode()) == (one < two)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00\x01\ud7ff")))
def test_ordinary_text_is_kept_as_it_is(text: str) -> None:
    assert escape(text) == text


@pytest.mark.parametrize("text", ["\x01\x03", "\ud7ff\x02"])
def test_what_no_text_escapes_to_is_refused(text: str) -> None:
    with pytest.raises(KeyError):
        unescape(text)
