"""What a suite's rankings come to: measures with intervals, beside the floor, and by category."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unabridged.eval import metrics
from unabridged.eval.suite import Question

Ranked = dict[str, list[str]]  # measure ("turn", "message", "session") → keys, best first
Measures = Sequence[tuple[str, int]]
DEEP = 10  # ranks that nDCG looks at


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with both rankings."""

    question: Question
    ours: Ranked
    floor: Ranked
    status: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Values of one measure, a question each, 0 to 1; `floor` is () where there is none."""

    ours: Sequence[float]
    floor: Sequence[float] = ()


def report(name: str, measures: Measures, asked: Sequence[Asked]) -> dict[str, Any]:
    """Return what `una eval NAME --json` prints: percentages, with intervals, per category, beside the floor."""
    figures = dict[str, Figures]()
    for measure, k in measures:
        figures[f"{measure}_recall@{k}"] = _figures(asked, measure, _recall(k))
    main = measures[-1][0]
    figures[f"{main}_mrr"] = _figures(asked, main, _rank)
    figures[f"{main}_ndcg@{DEEP}"] = _figures(asked, main, _gain)
    return {
        "suite": name,
        "n": len(asked),
        **drawn(figures),
        "categories": _categories(measures, asked),
        "statuses": counted([one.status for one in asked]),
    }


def drawn(figures: Mapping[str, Figures]) -> dict[str, Any]:
    """Return measures as percentages with their intervals, the floor's, and the paired differences."""
    with_floor = {name: one for name, one in figures.items() if one.floor}
    differences = {name: metrics.difference(one.ours, one.floor) for name, one in with_floor.items()}
    return {
        "metrics": {name: percent(metrics.mean(one.ours)) for name, one in figures.items()},
        "intervals": {name: bounds(metrics.interval(one.ours)) for name, one in figures.items()},
        "floor": {name: percent(metrics.mean(one.floor)) for name, one in with_floor.items()},
        "gain": {
            name: {"difference": percent(gain), "interval": bounds(edges)}
            for name, (gain, edges) in differences.items()
        },
    }


Measure = Callable[[Sequence[str], frozenset[str]], float]


def _recall(k: int) -> Measure:
    return lambda ranked, wanted: metrics.recall(ranked, wanted, k)


def _rank(ranked: Sequence[str], wanted: frozenset[str]) -> float:
    return metrics.reciprocal_rank(list(dict.fromkeys(ranked)), wanted)


def _gain(ranked: Sequence[str], wanted: frozenset[str]) -> float:
    return metrics.ndcg(list(dict.fromkeys(ranked)), wanted, DEEP)


def _figures(asked: Sequence[Asked], measure: str, of: Measure) -> Figures:
    sought = [one for one in asked if _wanted(one.question, measure)]
    floor = [of(one.floor[measure], _wanted(one.question, measure)) for one in sought if one.floor]
    return Figures([of(one.ours[measure], _wanted(one.question, measure)) for one in sought], floor)


def _wanted(question: Question, measure: str) -> frozenset[str]:
    return question.sessions if measure == "session" else question.turns


def _categories(measures: Measures, asked: Sequence[Asked]) -> dict[str, dict[str, float]]:
    groups = dict[str, list[Asked]]()
    for one in asked:
        groups.setdefault(one.question.category or "-", []).append(one)
    return {
        name: {"n": len(group)}
        | {
            f"{measure}_recall@{k}": percent(metrics.mean(found.ours))
            for measure, k in measures
            if (found := _figures(group, measure, _recall(k))).ours
        }
        for name, group in sorted(groups.items())
    }


def counted(names: Sequence[str]) -> dict[str, int]:
    """Return how often each name stands there."""
    return {name: list(names).count(name) for name in sorted(set(names))}


def percent(share: float) -> float:
    """Return a share as a percentage."""
    return round(100 * share, 2)


def bounds(edges: tuple[float, float]) -> list[float]:
    """Return an interval as percentages."""
    return [percent(edges[0]), percent(edges[1])]
