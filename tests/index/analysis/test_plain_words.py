"""The plain words of a text are those that the pattern of a word finds in it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from unabridged.index.analysis.fields import Prepared, foreign_words, plain_words

TEXTS = st.text(st.sampled_from([*"aZ9_ .-/\n\x00", "é", "İ", "ß", "́", "ॅ", "文", "→", "\xa0", "²", "ﬁ"]))


@given(TEXTS)
@example("naïve_Straße—x2 ISTANBULİ a\u0301 b")
def test_words_that_ascii_parts_are_those_of_the_whole(text: str) -> None:
    assert plain_words(Prepared(text.encode(), [], True)) == " ".join(foreign_words(text))
