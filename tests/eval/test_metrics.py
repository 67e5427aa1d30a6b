"""Measures against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from unabridged.eval import metrics


def test_recall_counts_each_evidence_once() -> None:
    assert metrics.recall(["a", "a", "b", "c"], {"a", "c"}, 3) == 0.5
    assert metrics.recall(["a", "a", "b", "c"], {"a", "c"}, 4) == 1.0
    assert metrics.recall([], {"a"}, 10) == 0.0


def test_the_first_evidence_gives_the_reciprocal_rank() -> None:
    assert metrics.reciprocal_rank(["x", "b", "a"], {"a", "b"}) == 0.5
    assert metrics.reciprocal_rank(["x"], {"a"}) == 0.0


def test_ndcg_is_one_for_the_best_order_and_less_for_a_worse_one() -> None:
    assert metrics.ndcg(["a", "b", "x"], {"a", "b"}, 10) == 1.0
    worse = (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert metrics.ndcg(["x", "a", "b"], {"a", "b"}, 10) == pytest.approx(worse)


def test_an_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    values = [0.0, 1.0] * 50
    low, high = metrics.interval(values)
    assert 0.35 < low < 0.5 < high < 0.65
    assert (low, high) == metrics.interval(values)
    assert metrics.interval([1.0] * 10) == (1.0, 1.0)


def test_a_difference_is_of_pairs() -> None:
    gain, (low, high) = metrics.difference([0.5, 1.0, 0.0], [0.25, 0.75, -0.25])
    assert (gain, low, high) == (0.25, 0.25, 0.25)
