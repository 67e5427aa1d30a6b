"""What has proved useful decides between hits that are nearly as good as each other.

A passage that a search showed and that was then recalled is worth a little more the next time. The multiplier is
bounded and may let a hit pass one ahead of it whose evidence is larger by no more: never a clear winner, never one that
holds a name exactly where it does not. No score changes. In an explicit search only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from unabridged.retrieve.candidate import POOL
from unabridged.retrieve.context import Used
from unabridged.retrieve.passing import Favoured, by_favour
from unabridged.retrieve.rank import Ranked

MOST = 1.15  # of all that makes a passage important, together
RECALLS = 1.06  # of recalls alone, however many
FULL = 8  # recalls that are worth that much; the first ones are worth most


def worth(recalls: int) -> float:
    """Return the multiplier of a passage that was recalled so often: from 1 to `RECALLS`."""
    share = math.log1p(max(0, recalls)) / math.log1p(FULL)
    return min(MOST, 1.0 + (RECALLS - 1.0) * min(1.0, share))


def weigh(used: Used, ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return hits with those that proved useful ahead of their near-ties; a stage tells the multiplier."""
    if not used:
        return list(ranked)
    return [*by_favour(_weighed(used, item) for item in ranked[:POOL]), *ranked[POOL:]]


def _weighed(used: Used, item: Ranked) -> Favoured:
    factor = worth(used.get((item.event.project, item.event.ordinal), 0))
    if factor == 1.0:
        return Favoured(item, factor)
    stages = {**item.stages, "importance": round(factor, 4)}
    return Favoured(replace(item, stages=stages), factor)
