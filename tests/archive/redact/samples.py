"""Makes texts that a pattern describes, so that no credential-shaped string stands in the tests."""

from __future__ import annotations

import random
import re._constants as sre
import re._parser as parser
from typing import Any

PRINTABLE = [chr(code) for code in range(0x21, 0x7F)]
MAX_REPEAT = 12  # further repeats of an open-ended class than its minimum


def sample(pattern: str, seed: int) -> str:
    """Return one text that `pattern` matches, always the same for the same seed."""
    return _many(parser.parse(pattern), random.Random(f"{seed}{pattern}"))


def _many(nodes: Any, rng: random.Random) -> str:
    return "".join(_one(kind, value, rng) for kind, value in nodes)


def _one(kind: Any, value: Any, rng: random.Random) -> str:
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.NOT_LITERAL:
        return rng.choice([c for c in PRINTABLE if ord(c) != value])
    if kind is sre.ANY:
        return rng.choice(PRINTABLE)
    if kind is sre.IN:
        return rng.choice(_class(value))
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        low, high, inner = value
        count = low if low > 0 else rng.randint(0, min(int(high), 1))
        if int(high) > low:
            count = rng.randint(count, min(int(high), count + MAX_REPEAT) if low > 1 else max(count, 1))
        return "".join(_many(inner, rng) for _ in range(count))
    if kind is sre.SUBPATTERN:
        return _many(value[3], rng)
    if kind is sre.BRANCH:
        return _many(rng.choice(value[1]), rng)
    if kind is sre.AT:
        return ""
    raise NotImplementedError(kind)


def _class(items: Any) -> list[str]:
    negated = items[0][0] is sre.NEGATE
    chars: set[str] = set()
    for kind, value in items:
        if kind is sre.LITERAL:
            chars.add(chr(value))
        elif kind is sre.RANGE:
            chars.update(chr(code) for code in range(value[0], value[1] + 1))
        elif kind is sre.CATEGORY:
            chars.update(" \n" if value is sre.CATEGORY_SPACE else [c for c in PRINTABLE if c.isalnum()])
    return sorted(set(PRINTABLE) - chars if negated else chars)
