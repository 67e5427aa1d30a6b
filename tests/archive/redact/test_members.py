"""Walks over the members of objects, whose quotes are escaped once or more."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unabridged.archive.redact.members import MAX_STEPS, Walk

TEXTS = st.lists(
    st.sampled_from(("\\", '"', "'", "a", "é", "\n", "{", "}", "[", "]", ",", ":", " ")), max_size=8
).map("".join)
VALUES: st.SearchStrategy[Any] = st.one_of(
    TEXTS,
    st.none(),
    st.integers(-9, 99),
    st.lists(TEXTS, max_size=3),
    st.dictionaries(TEXTS, TEXTS, max_size=2),
)


def spelt(value: Any, depth: int, indent: int | None) -> tuple[bytes, int]:
    """Return JSON within `depth` strings, and the backslashes before a quote of its own there."""
    text = json.dumps(value, indent=indent)
    for _ in range(depth):
        text = json.dumps(text)[1:-1]
    return text.encode(), 2**depth - 1


@given(
    st.dictionaries(TEXTS, VALUES, max_size=4),
    st.dictionaries(TEXTS, VALUES, max_size=4),
    st.integers(0, 2),
    st.sampled_from((None, 2)),
)
def test_every_member_before_and_behind_a_key_is_read(
    before: dict[str, Any], after: dict[str, Any], depth: int, indent: int | None
) -> None:
    after = {f"{key}#": value for key, value in after.items()}
    whole = {f"{key}%": value for key, value in before.items()} | {"HERE": 1} | after
    text, width = spelt(whole, depth, indent)
    at = text.index(b"HERE")
    walk = Walk.at_key(text, at, (0, len(text)))
    assert walk is not None
    assert walk.depth == width
    members = [*reversed(walk.members_before(at - walk.width)), *walk.members(at - walk.width)]
    assert [
        (plain(member.key, depth, '"'), plain(text[member.start : member.end], depth, member.opens.decode()))
        for member in members
    ] == list(whole.items())


def plain(raw: bytes, depth: int, opens: str) -> Any:
    """Return the value of a slice of JSON within `depth` strings."""
    text = raw.decode()
    for _ in range(depth):
        text = json.loads(f'"{text}"')
    return json.loads(f'"{text}"' if opens == '"' else text)


def test_a_walk_over_hostile_text_takes_no_more_than_its_steps() -> None:
    for piece in (b'{"a":', b'"name":"x",', b'[[{"', b'\\"', b"}}}", b'{"a":["'):
        text = piece * 4_000 + b'"HERE":1' + piece * 4_000
        walk = Walk.at_key(text, text.index(b"HERE"), (0, len(text)))
        assert walk is not None
        assert (
            len(walk.members_before(text.index(b'"HERE"'))) + len(walk.members(text.index(b'"HERE"')))
            <= MAX_STEPS
        )
