"""Rows of a conversation are given once, and again when they change."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from unabridged.hosts import given
from unabridged.hosts.given import Row

ROWS = st.dictionaries(st.text(max_size=3), st.binary(max_size=5), max_size=8)


def everything(rows: dict[str, bytes], version: str, state: bytes) -> tuple[list[bytes], bytes]:
    lines: list[bytes] = []
    while True:
        more, state = given.look([Row(*item) for item in rows.items()], version, state)
        if not more:
            return lines, state
        lines += more


@example(st.lists(ROWS, max_size=5))
def test_each_look_gives_what_is_not_as_it_was_last(versions: list[dict[str, bytes]]) -> None:
    state, last = b"", dict[str, bytes]()
    for number, rows in enumerate(versions):
        lines, state = everything(rows, f"{number}", state)
        assert lines == [line for name, line in rows.items() if last.get(name) != line]
        assert given.is_given(f"{number}", state)
        last |= rows


def test_a_large_conversation_is_given_in_several_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "BATCH_BYTES", 10)
    rows = [Row(f"{number}", b"%06d" % number) for number in range(9)]
    state, sizes = b"", list[int]()
    while True:
        lines, state = given.look(rows, "v", state)
        if not lines:
            break
        sizes.append(len(lines))
    assert sizes == [2, 2, 2, 2, 1]


def test_a_look_that_was_left_begins_anew_with_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "BATCH_BYTES", 10)
    rows = [Row(f"{number}", b"%06d" % number) for number in range(4)]
    lines, state = given.look(rows, "one", b"")
    assert lines == [b"000000", b"000001"]
    rows[0] = Row("0", b"other!")
    lines, state = everything({row.name: row.line for row in rows}, "two", state)
    assert lines == [b"other!", b"000002", b"000003"]


def test_the_state_is_bounded_and_what_is_forgotten_is_given_again() -> None:
    numbers = count()
    rows = {f"row {next(numbers)}": b"x" for _ in range(given.REMEMBERED + 50)}
    lines, state = everything(rows, "one", b"")
    assert len(lines) == len(rows)
    assert len(state) <= 64 << 10
    lines, _ = everything(rows, "two", state)
    assert len(lines) == 50  # the oldest
