"""Ids follow from what they name, and from nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unabridged.schema import ids

TEXTS = st.text(st.characters(codec=None), max_size=10)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_hash_of_parts_tells_where_one_ends(a: str, b: str, c: str, d: str) -> None:
    assert (ids.hashed(32, a, b) == ids.hashed(32, c, d)) == ((a, b) == (c, d))


def test_ids_of_one_name_differ_by_what_they_are_of() -> None:
    name = "x"
    made = {
        bytes(ids.project_id(name)),
        bytes(ids.session_id(name, name)),
        bytes(ids.origin_id(name, name)),
        bytes(ids.source_hash(name)),
    }
    assert len(made) == 4
    assert {len(one) for one in made} == {16}


def test_versions_of_one_block_share_the_beginning_of_their_ids() -> None:
    identity = ids.identity_hash("claude-code", "u1/0")
    one, two = (ids.event_id(identity, ids.Digest(ids.hashed(32, text))) for text in ("a", "b"))
    assert one != two
    assert one[:12] == two[:12] == identity
    assert len(one) == ids.EVENT_ID_BYTES


def test_a_lone_surrogate_has_an_id() -> None:
    assert len(ids.source_hash("claude-code:s:\ud800")) == 16


def test_ids_are_what_they_always_were() -> None:
    assert ids.project_id("/home/dev/app").hex() == "65bd59af49f75f2a30d1da4d4697f01f"
    assert ids.session_id("pi", "abc").hex() == "5118288bf2cc3c0bc29bb3526ddc6a67"
