"""The words by which a turn is found again: names of code, paths, what stood in backticks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

MOST_TERMS = 8
SHORTEST, LONGEST = 3, 60  # characters of a term: shorter ones say nothing, longer ones are no names
READ = 1_500  # characters of each text that are looked at
TOPIC_CHARS = 80

# Around a word, and no part of it.
_AROUND = "`'\"()[]{}<>,;:!?*.…"
_INNER = re.compile(r"\w[_./-]\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_SPACE = re.compile(r"\s+")


def salient(texts: Iterable[str], read: int = READ) -> tuple[str, ...]:
    """Return the terms that occur most in the first `read` characters of each text, earlier ones first among equals.

    A term is a word that was marked as code or is built like a name: with a path's, a module's or an identifier's marks
    inside, with a capital or a digit within.
    """
    counts = Counter[str]()
    for text in texts:
        for word in text[:read].split():
            term = word.strip(_AROUND)
            if not SHORTEST <= len(term) <= LONGEST:
                continue
            if word[0] == "`" or ((not term.isalpha() or not term.islower()) and _INNER.search(term)):
                counts[term] += 1
    return tuple(term for term, _ in counts.most_common(MOST_TERMS))


def topic(text: str, chars: int = TOPIC_CHARS) -> str:
    """Return the first line of a text that says something, cut to so many characters."""
    for line in text[:READ].splitlines():
        said = _SPACE.sub(" ", line).strip()
        if any(char.isalnum() for char in said):
            return shortened(said, chars)
    return ""


def shortened(said: str, chars: int) -> str:
    """Return a line cut to so many characters."""
    return said if len(said) <= chars else said[: chars - 1].rstrip() + "…"
