"""Percentiles and ratios: what a row of measurements comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PERCENTILES = (50, 95, 99)
DIGITS = 4  # significant ones of a figure that is kept


def percentile(values: Sequence[float], share: int) -> float:
    """Return the smallest value that `share` of a hundred values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def latencies(seconds: Sequence[float]) -> dict[str, Any]:
    """Return p50, p95, p99 and the largest in milliseconds, with the number of samples (alone when it is 0)."""
    if not seconds:
        return {"n": 0}
    found: dict[str, Any] = {
        f"p{share}_ms": rounded(percentile(seconds, share) * 1e3) for share in PERCENTILES
    }
    return {**found, "max_ms": rounded(max(seconds) * 1e3), "n": len(seconds)}


def faster(ours: Mapping[str, Any], rival: Mapping[str, Any]) -> dict[str, float]:
    """Return how many times faster than the rival each percentile is: above 1 is better than the rival."""
    return {
        f"p{share}": rounded(rival[f"p{share}_ms"] / ours[f"p{share}_ms"])
        for share in PERCENTILES
        if ours.get(f"p{share}_ms") and rival.get(f"p{share}_ms")
    }


def over(ours: float, rival: float) -> float | None:
    """Return a rate divided by the rival's, None when the rival has none."""
    return rounded(ours / rival) if rival else None


def rounded(value: float) -> float:
    """Return a value with as many digits as a measurement deserves."""
    return float(f"{value:.{DIGITS}g}")


def at(values: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path, None where there is none."""
    found: Any = values
    for name in path.split("."):
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]  # pyright: ignore[reportUnknownVariableType]
    return found  # pyright: ignore[reportUnknownVariableType]
