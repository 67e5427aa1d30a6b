"""What the measurements are measured against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unabridged.bench.figures import at

MOST, LEAST = "at most", "at least"
MILLION = 1_000_000
RIVAL = "of SQLite's, WAL and FULL, behind an equal queue that groups commits"


@dataclass(frozen=True, slots=True)
class Goal:
    """One quantity and its limit. `windows`: the size that the goal is stated for; `real`: for real transcripts.

    A result of another size, or of generated transcripts, is judged all the same, and marked as not comparable.
    """

    bench: str
    path: str  # in the result: figures.…, ratio.…
    sense: str
    limit: float
    what: str
    unit: str = ""
    windows: int = 0  # or whatever the bench counts
    real: bool = False


def _admission() -> tuple[Goal, ...]:
    names = {
        "one_client": "one client",
        "eight_clients": "eight clients",
        "idle": "idle",
        "during_import": "during an import",
    }
    return tuple(
        Goal(
            "admission",
            f"ratio.durable.{clients}.{when}.p95",
            LEAST,
            1.0,
            f"a turn durable, p95, {names[clients]}, {names[when]}: speed {RIVAL}",
            "×",
        )
        for clients in ("one_client", "eight_clients")
        for when in ("idle", "during_import")
    )


def _window() -> tuple[Goal, ...]:
    names = {"anthropic": "Anthropic Messages", "responses": "OpenAI Responses", "chat": "Chat Completions"}
    made = [
        Goal(
            "window",
            f"figures.{form}.{what}.p50_ms",
            MOST,
            5.0,
            f"CPU of a request of 1,000 messages and 1 MiB, {name}, {said}, p50",
            "ms",
            windows=1_000,
        )
        for form, name in names.items()
        for what, said in (("cut", "most of it left out"), ("whole", "nothing left out"))
    ]
    planning = Goal(
        "window",
        "figures.planning.p95_ms",
        MOST,
        5.0,
        "CPU of planning 2,000 messages, p95",
        "ms",
        windows=1_000,
    )
    return (*made, planning)


def _gateway() -> tuple[Goal, ...]:
    limits = (
        (
            "figures.cpu.p50_ms",
            5.0,
            "CPU of a request of 1,000 messages and 1 MiB through the gateway, p50",
            "ms",
        ),
        (
            "figures.streams.added.p95_ms",
            25.0,
            "what the gateway adds to an event of 100 answers at once, p95",
            "ms",
        ),
        (
            "figures.streams.memory.above_idle_mib",
            64.0,
            "memory of the gateway at 100 answers at once, above idle",
            "MiB",
        ),
    )
    return tuple(
        Goal("gateway", path, MOST, limit, what, unit, windows=1_000) for path, limit, what, unit in limits
    )


def _hook() -> tuple[Goal, ...]:
    states, kinds = ("running", "down"), {"turn_end": "the end of a turn", "prompt": "a prompt"}
    made = [
        Goal(
            "hook",
            f"figures.{state}.{kind}.p95_ms",
            MOST,
            25.0,
            f"a hook's whole process, {name}, daemon {state}, p95",
            "ms",
        )
        for state in states
        for kind, name in kinds.items()
    ]
    hung = Goal("hook", "figures.hung.first.max_ms", MOST, 1_000.0, "a hook that finds the daemon hung", "ms")
    return (*made, hung)


GOALS: tuple[Goal, ...] = (
    *_admission(),
    *_hook(),
    *_window(),
    *_gateway(),
    Goal(
        "semantic",
        "figures.added.p95_ms",
        MOST,
        25.0,
        "what meaning adds to a query, p95",
        "ms",
    ),
    Goal(
        "admission",
        "ratio.large.mb_per_second",
        LEAST,
        2.0,
        "a payload of 1 MiB durable: rate of the same rival's",
        "×",
    ),
    Goal(
        "import",
        "figures.durable.mb_per_second",
        LEAST,
        80.0,
        "transcripts until durable, two processors",
        "MB/s",
        real=True,
    ),
    Goal(
        "import",
        "figures.searchable.mb_per_second",
        LEAST,
        40.0,
        "transcripts until searchable, two processors",
        "MB/s",
        real=True,
    ),
    Goal("import", "figures.unchanged.lines_new", MOST, 0.0, "new lines in unchanged files", ""),
    Goal(
        "import",
        "ratio.verify_to_sha256",
        LEAST,
        0.8,
        "`--verify` of unchanged files: rate of SHA-256's over the same files",
        "×",
    ),
    Goal(
        "import",
        "figures.finds_rewrite",
        LEAST,
        1.0,
        "`--verify` finds a rewrite of the same size with a restored time",
        "",
    ),
    Goal(
        "import",
        "figures.disk_share_compacted",
        MOST,
        0.35,
        "originals, documents and index on disk after compaction: share of the transcripts' size",
        "",
        real=True,
    ),
    Goal(
        "search",
        "figures.idle.p95_ms",
        MOST,
        15.0,
        "search p95, one million windows, warm, idle",
        "ms",
        windows=MILLION,
    ),
    Goal(
        "search",
        "figures.during_import.p95_ms",
        MOST,
        30.0,
        "search p95, one million windows, warm, during an import",
        "ms",
        windows=MILLION,
    ),
    Goal(
        "search",
        "ratio.idle.p95",
        LEAST,
        10.0,
        "search p95, one million windows: speed of FTS5's in the same run",
        "×",
        windows=MILLION,
    ),
    Goal("recall", "figures.idle.p95_ms", MOST, 3.0, "recall of three windows p95", "ms", windows=MILLION),
    Goal(
        "recall",
        "figures.during_import.p95_ms",
        MOST,
        3.0,
        "recall of three windows p95, during an import",
        "ms",
        windows=MILLION,
    ),
    Goal("mcp", "figures.running.initialize.p95_ms", MOST, 100.0, "`initialize` of `una mcp`, p95", "ms"),
    Goal(
        "mcp",
        "figures.down.initialize.p95_ms",
        MOST,
        1_500.0,
        "`initialize` of `una mcp` where no daemon runs, p95",
        "ms",
    ),
    Goal(
        "hint",
        "figures.idle.looked.p95_ms",
        MOST,
        10.0,
        "a hint decided and durable p95, of messages that are looked for, one million windows",
        "ms",
        windows=MILLION,
    ),
    Goal("rpc", "figures.shell.p50_ms", MOST, 60.0, "a whole search from the shell, p50", "ms"),
    Goal(
        "memory",
        "figures.after_search.private_mib",
        MOST,
        256.0,
        "private memory of all our processes, one million windows",
        "MiB",
        windows=MILLION,
    ),
)


def judge(bench: str, result: Mapping[str, Any], conditions: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each goal of a bench with what was measured; `met` is None where nothing was."""
    return [_judged(goal, result, conditions) for goal in GOALS if goal.bench == bench]


def _judged(goal: Goal, result: Mapping[str, Any], conditions: Mapping[str, Any]) -> dict[str, Any]:
    found = at(result, goal.path)
    met = None
    if isinstance(found, int | float):
        met = found >= goal.limit if goal.sense == LEAST else found <= goal.limit
    small = int(conditions.get("size", 0)) < goal.windows
    return {
        "goal": goal.what,
        "figure": goal.path,
        "wanted": f"{goal.sense} {goal.limit:g} {goal.unit}".strip(),
        "measured": found,
        "met": met,
        "comparable": not small and (not goal.real or bool(conditions.get("real"))),
    }
