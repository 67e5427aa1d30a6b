"""How ranked lists become one ranking."""

from __future__ import annotations

import pytest

from unabridged.retrieve.fuse import K, fuse, ranked


def test_equals_share_the_rank_of_the_first_of_them() -> None:
    assert ranked({("a",): 2.0, ("b",): 3.0, ("c",): 2.0, ("d",): 1.0}) == {
        ("b",): 1,
        ("a",): 2,
        ("c",): 2,
        ("d",): 4,
    }


def test_scores_are_sums_of_reciprocal_ranks_by_the_weights_of_the_lists() -> None:
    found = fuse({"one": {("a",): 1, ("b",): 2}, "other": {("b",): 1}}, {"one": 1.0, "other": 0.5})
    assert [place for place, _, _ in found] == [("b",), ("a",)]
    assert found[0][1] == pytest.approx(1 / (K + 2) + 0.5 / (K + 1))
    assert found[0][2] == ("one", "other")
    assert found[1][2] == ("one",)


def test_a_list_in_which_all_are_equal_changes_no_order() -> None:
    lexical = {("a",): 1, ("b",): 2, ("c",): 3}
    same = ranked({("c",): 5.0, ("b",): 5.0, ("a",): 5.0})
    found = fuse({"lexical": lexical, "exact": same}, {"lexical": 1.0, "exact": 0.5})
    assert [place for place, _, _ in found] == [("a",), ("b",), ("c",)]
