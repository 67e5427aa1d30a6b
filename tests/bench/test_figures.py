"""What measurements come to: percentiles, ratios, verdicts, tables."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.bench import figures, goals, report
from unabridged.bench.goals import GOALS


def test_percentiles_are_nearest_ranks() -> None:
    values = [float(value) for value in range(1, 101)]
    assert [figures.percentile(values, share) for share in (50, 95, 99, 100)] == [50.0, 95.0, 99.0, 100.0]
    assert figures.percentile([3.0], 99) == 3.0


def test_latencies_are_milliseconds_with_their_number() -> None:
    assert figures.latencies([0.001, 0.002, 0.010]) == {
        "p50_ms": 2.0,
        "p95_ms": 10.0,
        "p99_ms": 10.0,
        "max_ms": 10.0,
        "n": 3,
    }
    assert figures.latencies([]) == {"n": 0}


def test_a_ratio_above_one_means_that_ours_is_better() -> None:
    assert figures.faster({"p50_ms": 2.0, "p95_ms": 4.0}, {"p50_ms": 10.0, "p95_ms": 2.0}) == {
        "p50": 5.0,
        "p95": 0.5,
    }
    assert figures.faster({"n": 0}, {"p50_ms": 1.0}) == {}
    assert figures.over(80.0, 20.0) == 4.0
    assert figures.over(80.0, 0.0) is None


def test_a_value_is_found_at_its_path() -> None:
    values = {"figures": {"idle": {"p95_ms": 3.0}}}
    assert figures.at(values, "figures.idle.p95_ms") == 3.0
    assert figures.at(values, "figures.idle.p99_ms") is None
    assert figures.at(values, "figures.idle.p95_ms.more") is None


def search_result(p95: float | None) -> dict[str, Any]:
    idle = {} if p95 is None else {"p95_ms": p95}
    return {"figures": {"idle": idle, "during_import": {"p95_ms": 31.0}}, "ratio": {"idle": {"p95": 10.0}}}


@pytest.mark.parametrize(("p95", "met"), [(15.0, True), (15.1, False), (None, None)])
def test_a_goal_is_met_not_met_or_not_measured(p95: float | None, met: bool | None) -> None:
    judged = goals.judge("search", search_result(p95), {"size": 1_000_000})
    assert [goal["met"] for goal in judged] == [met, False, True]
    assert all(goal["comparable"] for goal in judged)


def test_a_smaller_archive_or_generated_transcripts_are_not_what_the_goal_is_for() -> None:
    small = goals.judge("search", search_result(1.0), {"size": 10_000})
    assert not any(goal["comparable"] for goal in small)
    assert report.verdict(small[0]) == "met, under easier conditions than the goal's"
    rates = {"figures": {"durable": {"mb_per_second": 90.0}}, "ratio": {}}
    generated = goals.judge("import", rates, {"size": 100, "real": False})
    assert generated[0]["met"] is True
    assert generated[0]["comparable"] is False
    assert goals.judge("import", rates, {"size": 100, "real": True})[0]["comparable"] is True


def test_no_two_goals_are_about_one_figure() -> None:
    places = [(goal.bench, goal.path) for goal in GOALS]
    assert len(set(places)) == len(places)


def result(*, busy: bool) -> dict[str, Any]:
    values = {
        "figures": {"idle": {"p95_ms": 40.0, "n": 300}, "segments": 3},
        "rival": {"idle": {"p95_ms": 20.0, "n": 300}, "all_words": {"p95_ms": 5.0}},
        "ratio": {"idle": {"p95": 0.5}, "verify_to_sha256": 0.7},
    }
    return {
        "bench": "search",
        **values,
        "machine": {
            "cpu": "Some CPU",
            "cores": 2,
            "memory_bytes": 8 << 30,
            "system": "Linux 6",
            "python": "3.11",
            "load": [3.0, 1.0, 1.0],
            "busy": busy,
        },
        "goals": goals.judge("search", values, {"size": 1_000_000}),
        "conditions": {"size": 1_000_000, "seed": 1, "corpus": {"files": 9, "digest": "abc"}},
        "notes": ["One line that a reader has to know."],
    }


def test_a_report_says_plainly_what_is_not_met() -> None:
    lines = list(report.lines(result(busy=False)))
    row = next(line for line in lines if line.startswith("search p95, one million windows, warm, idle"))
    assert row.split()[-2:] == ["not", "met"]
    assert row.split()[-3] == "40"
    missing = next(line for line in lines if "during an import" in line)
    assert missing.endswith("not measured")
    assert lines[-1] == "One line that a reader has to know."
    assert not any("busy" in line for line in lines)


def test_a_report_of_a_busy_machine_says_so() -> None:
    assert report.BUSY in list(report.lines(result(busy=True)))


def test_rows_stand_side_by_side_and_none_is_lost() -> None:
    assert report.rows(result(busy=False)) == [
        ("idle p95 ms", "40", "20", "0.5 ×"),
        ("idle n", "300", "300", ""),
        ("segments", "3", "", ""),
        ("all words p95 ms", "", "5", ""),
        ("verify to sha256", "", "", "0.7 ×"),
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (12345.678, "12,346"),
        (0.04225, "0.04225"),
        (7, "7"),
        ("x", "x"),
    ],
)
def test_figures_are_drawn_as_they_are_read(value: Any, expected: str) -> None:
    assert report.shown(value) == expected
