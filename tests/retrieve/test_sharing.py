"""Budgets are shared by weight, cuts keep what matters, cursors say exactly what was given."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.errors import InvalidCursor
from unabridged.retrieve import given as giving
from unabridged.retrieve.cutting import centre, cost, cut
from unabridged.retrieve.given import Given
from unabridged.retrieve.sharing import fitting, share
from unabridged.schema import tokens
from unabridged.schema.ids import ProjectId

PIECES = st.lists(st.tuples(st.integers(0, 2_000), st.integers(1, 1_000)), max_size=24)
ONE, TWO = ProjectId(b"1" * 16), ProjectId(b"2" * 16)
DIGEST = giving.digest_of(b"a question")


@given(PIECES, st.integers(-10, 10_000))
def test_nobody_gets_more_than_it_needs_and_all_together_no_more_than_there_is(
    pieces: list[tuple[int, int]], budget: int
) -> None:
    needs, weights = [need for need, _ in pieces], [weight for _, weight in pieces]
    shares = share(needs, weights, budget)
    assert all(0 <= got <= need for got, need in zip(shares, needs, strict=True))
    assert sum(shares) <= max(0, budget)
    if sum(needs) <= budget:
        assert shares == needs
    for got, need, weight in zip(shares, needs, weights, strict=True):
        if got < need:  # whoever goes short gets by weight no less than anybody else, but for the rounding
            assert all(
                (got + 1) * other >= mine * weight for mine, other in zip(shares, weights, strict=True)
            )


@given(PIECES, st.integers(0, 10_000), st.integers(1, 200))
def test_as_many_first_pieces_as_can_get_the_least_share_it(
    pieces: list[tuple[int, int]], budget: int, least: int
) -> None:
    needs, weights = [need for need, _ in pieces], [weight for _, weight in pieces]
    shares = fitting(needs, weights, budget, least)
    assert len(shares) <= len(pieces)
    assert sum(shares) <= budget
    assert all(got >= min(least, need) for got, need in zip(shares, needs, strict=False))


@settings(max_examples=200)
@given(st.text(min_size=1), st.integers(0, 200), st.integers(0, 400))
def test_a_cut_is_whole_characters_within_the_budget(text: str, budget: int, at: int) -> None:
    data = text.encode()
    start, end = cut(data, budget, at)
    assert 0 <= start <= end <= len(data)
    assert tokens.strict(data[start:end]) <= cost(data[start:end]) <= max(0, budget)
    data[start:end].decode()
    if cost(data) <= budget:
        assert (start, end) == (0, len(data))


@given(st.integers(0, 99), st.integers(40, 400))
def test_a_cut_holds_the_place_that_matters(line: int, budget: int) -> None:
    text = "".join(f"this is line {number:02} of many lines that say the same\n" for number in range(100))
    words = ("line", f"{line:02}", "many")
    spans = [(at, at + len(word)) for word in words for at in range(len(text)) if text.startswith(word, at)]
    data = text.encode()
    start, end = cut(data, budget, centre(text, spans, 2 * budget))
    assert f"line {line:02}".encode() in data[start:end]


RANGES = st.lists(
    st.tuples(st.integers(1, 10_000), st.integers(0, 5_000), st.integers(1, 4_000)), max_size=60
)


@given(RANGES, RANGES, st.integers(0, 1 << 40))
def test_a_cursor_says_what_was_given(
    first: list[tuple[int, int, int]], second: list[tuple[int, int, int]], head: int
) -> None:
    made = Given({ONE: head, TWO: 7})
    for project, ranges in ((ONE, first), (TWO, second)):
        for ordinal, start, size in ranges:
            made.add((project, ordinal), start, start + size)
    read = giving.read(giving.write(made, DIGEST), DIGEST, [ONE, TWO])
    assert read.heads == made.heads
    assert read.ranges == {place: ranges for place, ranges in made.ranges.items() if ranges}
    for project, ranges in ((ONE, first), (TWO, second)):
        for ordinal, start, size in ranges:
            assert read.left((project, ordinal), start, start + size) == []


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=8), st.integers(0, 60))
def test_what_is_left_of_a_range_is_what_was_not_given(ranges: list[tuple[int, int]], end: int) -> None:
    made, held = Given(), set[int]()
    for start, size in ranges:
        made.add((ONE, 1), start, start + size)
        held |= set(range(start, start + size))
    left = [at for low, high in made.left((ONE, 1), 5, end) for at in range(low, high)]
    assert left == [at for at in range(5, end) if at not in held]


@given(st.binary(max_size=80))
def test_any_other_text_is_no_cursor(data: bytes) -> None:
    made = giving.write(Given({ONE: 3}), DIGEST)
    for text in (data.decode("latin-1"), giving.PREFIX + data.hex(), made[:5] + data.hex()):
        if text != made:
            with pytest.raises(InvalidCursor):
                giving.read(text, DIGEST, [ONE])


def test_a_project_that_came_later_counts_as_empty() -> None:
    cursor = giving.write(Given({ONE: 3}), DIGEST)
    assert giving.read(cursor, DIGEST, [ONE, TWO]).heads == {ONE: 3, TWO: 0}
