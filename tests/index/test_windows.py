"""The windows of a text: what they cover, where they cut, where they stop."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.windows import MOST, OVERLAP, SIZE, SLACK, windows

WORDS = (
    "the retry loop in worker.py takes the lock before it reads the queue and gives it back after a commit "
)
texts = st.one_of(
    st.text(max_size=200),
    st.builds(lambda part, times: part * times, st.text(min_size=1, max_size=40), st.integers(1, 400)),
)


@given(texts)
def test_windows_cover_the_text_without_a_gap_and_overlap(text: str) -> None:
    ranges, omitted = windows(text)
    assert omitted == 0
    assert [start for start, _ in ranges[:1]] == ([0] if text else [])
    assert not text or ranges[-1][1] == len(text)
    for (start, end), (following, last) in pairwise(ranges):
        assert start < following < end < last


@given(texts)
def test_equal_texts_have_equal_windows(text: str) -> None:
    assert windows(text) == windows("".join(list(text)))


def test_an_empty_text_has_no_window() -> None:
    assert windows("") == ([], 0)


def test_a_text_that_fits_is_one_window() -> None:
    assert windows("x" * (SIZE + SLACK)) == ([(0, SIZE + SLACK)], 0)
    assert len(windows("x" * (SIZE + SLACK + 1)).ranges) == 2


def test_a_window_ends_after_a_line_or_else_after_a_word() -> None:
    prose = WORDS * 400
    lines = prose.replace("queue and", "queue\nand")
    assert all(prose[end - 1] == " " for _, end in windows(prose).ranges)
    assert all(lines[end - 1] == "\n" for _, end in windows(lines).ranges[:-1])
    assert all(lines[start - 1] == "\n" for start, _ in windows(lines).ranges[1:])


def test_windows_have_about_their_size_and_overlap() -> None:
    ranges = windows(WORDS * 1_000).ranges
    assert all(SIZE - SLACK < end - start <= SIZE for start, end in ranges[:-1])
    overlaps = [end - following for (_, end), (following, _) in pairwise(ranges)]
    assert all(OVERLAP // 2 <= overlap <= OVERLAP for overlap in overlaps)


def test_windows_of_wide_characters_are_as_large_in_bytes() -> None:
    text = "数据库迁移失败了需要先回滚再重新执行" * 600
    sizes = [len(text[start:end].encode()) for start, end in windows(text).ranges[:-1]]
    assert all(SIZE - SLACK <= size <= SIZE for size in sizes)


def test_text_beyond_the_last_window_is_counted() -> None:
    text = WORDS * 130_000
    ranges, omitted = windows(text)
    assert len(ranges) == MOST
    assert omitted == len(text) - ranges[-1][1] > 0
