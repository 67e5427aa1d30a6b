"""How many tokens models take, by patterns over `provider/model`: what is known without asking anybody.

The providers' model pages, read in November 2026. The provider is the one whose wire format a request has, so the name
of a model counts wherever it is served. A model that nothing matches is unknown: it gets limits that suit the smallest
(`limits.UNKNOWN_ROTATION`, `UNKNOWN_HARD`). A user's own table goes before this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unabridged.window.profiles import literals, matches

MILLION = 1_000_000
LONG_CONTEXT = (
    "context-1m"  # begins the name of the beta of Anthropic's API that gives a model a window of a million
)

WINDOWS: Mapping[str, int] = {
    "*claude-*": 200_000,
    "*claude-opus-5*": MILLION,
    "*claude-*[[]1m]": MILLION,
    "*gpt-3.5*": 16_385,
    "*gpt-4": 8_192,
    "*gpt-4-turbo*": 128_000,
    "*gpt-4o*": 128_000,
    "*gpt-4.1*": 1_047_576,
    "*gpt-5*": 400_000,
    "*/o1*": 200_000,
    "*/o3*": 200_000,
    "*/o4-mini*": 200_000,
    "*codex-mini*": 200_000,
    "*gemini-*": 1_048_576,
    "*deepseek-*": 128_000,
}


def told_by(betas: Iterable[str]) -> int:
    """Return the tokens of a model's window where a request's betas say them, else 0."""
    return MILLION if any(beta.strip().startswith(LONG_CONTEXT) for beta in betas) else 0


def best(patterns: Mapping[str, int], model: str) -> str:
    """Return the most specific pattern that matches, the last among equals; "" where none does."""
    found = [pattern for pattern in reversed(list(patterns)) if matches(pattern, model)]
    return max(found, key=literals, default="")
