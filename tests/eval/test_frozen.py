"""The project's own suites, each run end to end on a small part of itself."""

from __future__ import annotations

import time

import msgspec
import pytest

from unabridged.eval import cases, frozen, running
from unabridged.eval.cases import Frozen
from unabridged.eval.command import lines


def part_of(name: str, *ids: str) -> Frozen:
    """Return a suite with these cases and the projects that they ask in."""
    suite = cases.load(name, time.time())
    kept = tuple(case for case in suite.cases if case.id in ids)
    projects = {case.project for case in kept}
    held = tuple(one for one in suite.conversations if one.name in projects)
    return msgspec.structs.replace(suite, cases=kept, conversations=held)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("exact", ("x01", "x13", "x22")),
        ("lexical", ("l11", "l14")),
        ("identifiers", ("i01", "i19", "i41")),
        ("scripts", ("k01", "k17", "k34")),
        ("time", ("t23", "t24")),
        ("hard", ("h02", "h12")),
    ],
)
def test_a_suite_of_searches_finds_its_messages(name: str, ids: tuple[str, ...]) -> None:
    suite = part_of(name, *ids)
    report = frozen.run(suite, lambda _: None, floor=True)
    assert (report["suite"], report["n"], report["statuses"]) == (name, len(ids), {"ok": len(ids)})
    assert report["digest"] == suite.digest
    assert report["metrics"]["message_recall@10"] == 100.0
    assert set(report["metrics"]) == set(report["intervals"]) == {*report["floor"], "answered"}
    assert sum(group["n"] for group in report["categories"].values()) == len(ids)


def test_a_window_counts_only_when_what_is_recalled_holds_the_answer() -> None:
    suite = part_of("chunks", "c10", "c16")
    right = frozen.run(suite, lambda _: None, floor=True)
    assert right["metrics"]["window_recall@3"] == 100.0
    assert right["floor"]["window_recall@3"] == 100.0
    asked = tuple(msgspec.structs.replace(case, answer="words that nobody said") for case in suite.cases)
    wrong = frozen.run(msgspec.structs.replace(suite, cases=asked), lambda _: None, floor=False)
    assert wrong["metrics"]["window_recall@10"] == 0.0
    assert wrong["floor"] == {}


def test_a_question_that_is_hardly_one_is_answered_and_counts_for_no_recall() -> None:
    report = frozen.run(part_of("identifiers", "i63", "i65", "i19"), lambda _: None, floor=True)
    assert report["metrics"]["answered"] == 100.0
    assert report["metrics"]["message_recall@1"] == 100.0
    assert report["categories"]["hostile"] == {"n": 2}


def test_reports_are_put_together_under_their_names() -> None:
    one = {"suite": "exact", "n": 2, "metrics": {"m": 50.0}, "intervals": {"m": [0.0, 100.0]}}
    one |= {"floor": {}, "gain": {}, "categories": {}}
    merged = running.together([one, one | {"suite": "hard", "n": 3}])
    assert (merged["suite"], merged["n"]) == ("frozen", 5)
    assert merged["metrics"] == {"exact_m": 50.0, "hard_m": 50.0}
    assert list(merged["suites"]) == ["exact", "hard"]
    assert [line for line in lines(merged) if "questions" in line] == [
        "exact: 2 questions",
        "hard: 3 questions",
    ]
