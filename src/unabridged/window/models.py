"""How long the context windows of well-known models are, for who has said nothing of them in his own settings.

Sizes are the providers' published ones, without what they sell as an extra; a model that is not here is unknown, and
`limits` then takes what suits the smallest current ones. A profile's `context_window` and `reserve` go before.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.window.profiles import literals, matches


class Size(msgspec.Struct, frozen=True):
    """A model's context window and what of it is left for an answer, in tokens; 0: unknown."""

    window: int = 0
    reserve: int = 0


UNKNOWN = Size()

# By pattern over `provider/model`; among those that match, the one with most literal characters holds.
SIZES: Sequence[tuple[str, Size]] = (
    ("anthropic/claude-*", Size(200_000, 20_000)),
    ("anthropic/*claude-*[[]1m[]]", Size(1_000_000, 20_000)),
    ("anthropic/claude-opus-5*", Size(1_000_000, 20_000)),
    ("openai/gpt-5*", Size(400_000, 128_000)),
    ("openai/gpt-4.1*", Size(1_000_000, 32_000)),
    ("openai/gpt-4o*", Size(128_000, 16_000)),
    ("openai/o[134]*", Size(200_000, 64_000)),
    ("openai/codex-*", Size(200_000, 32_000)),
)


def size(model: str) -> Size:
    """Return the sizes of `provider/model`."""
    found = [(literals(pattern), given) for pattern, given in SIZES if matches(pattern, model)]
    return max(found, key=lambda one: one[0])[1] if found else UNKNOWN
