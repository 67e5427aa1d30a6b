"""Long stretches of text that say nothing of interest: what a needle of a suite lies in.

The same kind, number and seed give the same text everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

_PARTS = (
    "core",
    "net",
    "audio",
    "store",
    "input",
    "codec",
    "timer",
    "panel",
    "relay",
    "probe",
    "index",
    "queue",
)
_STEPS = ("compiling", "linking", "stripping", "copying", "signing", "packing", "checking", "indexing")
_DOING = ("opened", "flushed", "rotated", "accepted", "closed", "renewed", "sampled", "merged", "skipped")
_SUBJECTS = (
    "The queue of the panel",
    "Every sample of the probe",
    "A message on the relay",
    "The table of timers",
    "Each frame of the codec",
    "The store behind the index",
)
_VERBS = ("is read", "is checked", "is written", "is counted", "is compared", "is handed on")
_ENDS = (
    "once for each cycle of the clock, in the order of arrival.",
    "before the next one begins, so that no two of them overlap.",
    "by one owner only, who gives it back when the cycle ends.",
    "after its checksum, and is thrown away when that is wrong.",
    "in one pass; a second pass is needed at the first start only.",
    "without a copy, since the buffer belongs to the reader until then.",
)

Line = Callable[[random.Random, int], str]


def _log(dice: random.Random, at: int) -> str:
    part, doing = dice.choice(_PARTS), dice.choice(_DOING)
    clock = f"{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}.{dice.randrange(1000):03}"
    numbers = dice.randrange(64), dice.randrange(10**6), dice.randrange(90)
    return f"{clock} INFO {part}[{numbers[0]}] {doing} segment {numbers[1]} in {numbers[2]} us"


def _build(dice: random.Random, at: int) -> str:
    part, other = dice.choice(_PARTS), dice.choice(_PARTS)
    return f"[{at:>5}] {dice.choice(_STEPS)} out/{part}/{other}_{dice.randrange(400)}.o ({dice.randrange(1, 900)} ms)"


def _prose(dice: random.Random, at: int) -> str:
    count = dice.randrange(3, 6)
    told = " ".join(
        f"{dice.choice(_SUBJECTS)} {dice.choice(_VERBS)} {dice.choice(_ENDS)}" for _ in range(count)
    )
    return f"{at}. {told}\n"


def _json(dice: random.Random, at: int) -> str:
    return (
        f'{{"device": "FQ-{dice.randrange(10000, 99999)}", "firmware": "4.{dice.randrange(3)}.{dice.randrange(9)}", '
        f'"calibration": "2026-{dice.randrange(1, 10):02}-{dice.randrange(1, 29):02}", "status": "ok", "row": {at}}}'
    )


def _diff(dice: random.Random, at: int) -> str:
    if at % 24 == 0:
        part = dice.choice(_PARTS)
        return f"diff --git a/src/{part}/{dice.choice(_PARTS)}.rs b/src/{part}/{dice.choice(_PARTS)}.rs"
    sign, left, right = dice.choice("   +-"), dice.choice(_PARTS), dice.choice(_PARTS)
    return f"{sign}    let {left}_{dice.randrange(99)} = {right}.{dice.choice(_DOING)}({at});"


KINDS: Mapping[str, Line] = {"log": _log, "build": _build, "prose": _prose, "json": _json, "diff": _diff}


def text(kind: str, count: int, seed: int) -> str:
    """Return `count` lines (of "prose": paragraphs) of a kind."""
    dice, line = random.Random(f"{kind}/{seed}"), KINDS[kind]
    rows: Sequence[str] = [line(dice, seed * 1000 + at) for at in range(count)]
    return "\n".join(rows)
