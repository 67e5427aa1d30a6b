"""Runs the suites that come along, each in its own way, and puts their reports together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unabridged.eval import cases, frozen, hinting, relations
from unabridged.eval.living import Tell


def run(
    names: Sequence[str], now: float, tell: Tell, *, floor: bool, semantic: str, settings: str
) -> dict[str, Any]:
    """Run the suites of these names as of `now`, all where none is named; return one document."""
    suites = [cases.load(name, now) for name in names or cases.NAMES]
    reports = list[dict[str, Any]]()
    for suite in suites:
        match suite.ask:
            case "relation":
                reports.append(relations.run(suite, tell))
            case "hints":
                reports.append(hinting.run(suite, tell))
            case _:
                reports.append(frozen.run(suite, tell, floor=floor, semantic=semantic, settings=settings))
    return together(reports)


def together(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one document of several reports: each under its name, and their measures side by side."""
    merged: dict[str, Any] = {"suite": "frozen", "n": sum(report["n"] for report in reports)}
    for part in ("metrics", "intervals", "floor", "gain"):
        merged[part] = {
            f"{report['suite']}_{name}": value for report in reports for name, value in report[part].items()
        }
    return merged | {"suites": {report["suite"]: dict(report) for report in reports}}
