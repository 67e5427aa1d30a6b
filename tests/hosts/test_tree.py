"""Messages of a branching conversation stand behind their parents, one branch after the other."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from unabridged.hosts.tree import branches, nearest

PARENTS = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["", *"abcdefghxy"]))


def test_a_branch_is_whole_before_the_next_begins() -> None:
    parents = {"root": "", "b1": "root", "a1": "root", "b2": "b1", "a2": "a1", "other": "gone"}
    assert branches(parents) == ["root", "b1", "b2", "a1", "a2", "other"]
    assert branches(parents, "b2") == ["other", "root", "a1", "a2", "b1", "b2"]
    assert branches(parents, "nowhere") == branches(parents)


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
def test_the_nearest_wanted_ancestor_is_found(parents: dict[str, str], wanted: set[str]) -> None:
    found = nearest(branches(parents), parents, wanted)
    assert found.keys() == parents.keys()
    for name in parents:
        line, at = list[str](), parents[name]
        while at in parents and at not in line:
            line.append(at)
            at = parents[at]
        if at not in parents:  # what hangs on itself has no order
            assert found[name] == next((item for item in line if item in wanted), "")


def test_a_deep_conversation_takes_no_recursion_and_one_step_a_message() -> None:
    parents = {f"{number}": f"{number - 1}" for number in range(200_000)}
    order = branches(parents)
    assert order[-1] == "199999"
    assert nearest(order, parents, {"0"})["199999"] == "0"
