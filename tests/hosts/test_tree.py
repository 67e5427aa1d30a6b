"""Messages of a branching conversation stand behind their parents, one branch after the other."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from unabridged.hosts.tree import above, branches

PARENTS = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["", *"abcdefghxy"]))


def test_a_branch_is_whole_before_the_next_begins() -> None:
    parents = {"root": "", "b1": "root", "a1": "root", "b2": "b1", "a2": "a1", "other": "gone"}
    assert branches(parents) == ["root", "b1", "b2", "a1", "a2", "other"]


@given(PARENTS)
def test_all_are_there_once_and_behind_their_parents_unless_they_hang_on_themselves(
    parents: dict[str, str],
) -> None:
    found = branches(parents)
    assert sorted(found) == sorted(parents)
    for name in found:
        line, at = [name], parents[name]
        while at in parents and at not in line:
            line.append(at)
            at = parents[at]
        if at not in parents:
            assert all(found.index(child) > found.index(parent) for child, parent in itertools.pairwise(line))


@given(PARENTS, st.sets(st.sampled_from("abcdefgh")))
def test_the_nearest_ancestor_that_speaks_is_found(parents: dict[str, str], speaking: set[str]) -> None:
    says = {name: name in speaking for name in parents}
    for name in parents:
        found = above(name, parents, says)
        assert found == "" or (found != name and says[found])


def test_a_deep_conversation_takes_no_recursion() -> None:
    parents = {f"{number}": f"{number - 1}" for number in range(20_000)}
    assert branches(parents)[-1] == "19999"
    assert above("19999", parents, {"0": True}) == "0"
