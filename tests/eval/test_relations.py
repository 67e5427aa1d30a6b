"""The suite of relations on a part of itself, and what counts as right."""

from __future__ import annotations

import time

import msgspec

from unabridged.eval import cases, relations
from unabridged.eval.cases import Case
from unabridged.eval.relations import Resolved


def test_a_relation_is_resolved_or_said_not_to_be_there() -> None:
    suite = cases.load("structural", time.time())
    kept = tuple(case for case in suite.cases if case.id in ("s02", "s07", "s14"))
    report = relations.run(msgspec.structs.replace(suite, cases=kept), lambda _: None)
    assert (report["n"], report["metrics"]["accuracy"]) == (3, 100.0)
    assert report["metrics"]["false_certainty"] == 0.0
    assert report["categories"]["expected not-found"] == {"n": 1, "accuracy": 100.0}
    assert report["statuses"] == {"not-found": 1, "resolved": 2}


def test_certainty_that_is_not_warranted_is_counted() -> None:
    suite = cases.load("structural", time.time())

    def case(status: str) -> Case:
        return Case("s", "latest-decision", "", status=status)

    found = [
        Resolved(case("resolved"), "resolved", right=False),
        Resolved(case("not-found"), "resolved", right=False),
        Resolved(case("ambiguous"), "ambiguous", right=True),
    ]
    metrics = relations.report(suite, found)["metrics"]
    assert metrics["accuracy"] == 33.33
    assert metrics["status_accuracy"] == 66.67
    assert metrics["resolution_accuracy"] == 0.0
    assert metrics["false_certainty"] == 50.0
