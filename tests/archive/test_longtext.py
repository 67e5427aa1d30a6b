"""Long texts in parts: the same size, tokens, digest and chunks as from the whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.archive import chunking, rendering
from unabridged.archive.longtext import LongText
from unabridged.hosts.contract import Block, Ref
from unabridged.schema import tokens
from unabridged.schema.records import PARTIAL

PIECES = ("word ", "line\n", "\u00e9", "\u65e5\u672c", "\U0001f600", "\ud800", "AB1", "\t")
TEXTS = st.lists(st.sampled_from(PIECES), max_size=200).map("".join)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "PART_CHARS", 7)
    monkeypatch.setattr(chunking, "CHUNK_BYTES", 64)
    monkeypatch.setattr(chunking, "CHUNK_FLOOR", 16)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=4))
def test_parts_answer_as_the_whole_does(pieces: list[tuple[str, bool]]) -> None:
    made = tuple(Ref((0, "a"), text) if stored else text for text, stored in pieces)
    block = Block("n", "i", "text", "user", made)
    whole, long = rendering.render(block), LongText(block)
    assert (b"".join(long.parts()), long.size, long.flags) == (whole, len(whole), 0)
    assert long.estimate == tokens.by_script(whole)
    assert long.digest(["m"]) == rendering.digest("text", "user", "", "", whole, ["m"])
    assert list(long.chunks()) == list(chunking.cut(whole))
    assert whole.startswith(long.beginning)


@pytest.mark.parametrize("most", range(40, 60))
def test_a_text_beyond_the_limit_is_cut_at_a_character_and_marked(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "MAX_RENDERING", most)
    text = "\u65e5\U0001f600ab" * 5 + "\u65e5"
    long = LongText(Block("n", "i", "text", "user", (Ref((0,), text[:9]), text[9:])))
    whole = text.encode()
    assert b"".join(long.parts()) == whole[:most].decode("utf-8", "ignore").encode()
    assert long.size == len(b"".join(long.parts()))
    assert bool(long.flags & PARTIAL) == (len(whole) > most)
