"""What a model is known by."""

from __future__ import annotations

import msgspec


class Identity(msgspec.Struct, frozen=True):
    """What makes rows comparable: vectors of another identity are of another space, and are made anew."""

    model: str
    revision: str  # digest of what the rows depend on: weights, graph, words
    dimensions: int
    pooling: str  # how tokens become one row
