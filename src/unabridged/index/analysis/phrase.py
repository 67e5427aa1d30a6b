"""Whether a text holds a phrase.

The index keeps no positions (they would nearly double it): a phrase narrows a search to texts with all of its words,
and the text itself decides.
"""

from __future__ import annotations

import re
from functools import lru_cache

from unabridged.index.analysis.fields import folded
from unabridged.index.analysis.letters import GRAM_RUN, IN_WORD, PICTURE, WORD

MEMORY = 256  # phrases whose pattern is remembered
_TOKEN = re.compile(f"{GRAM_RUN.pattern[:-1]}|{PICTURE.pattern}|{WORD.pattern}").findall


def phrase_tokens(text: str) -> list[str]:
    """Return the tokens of a phrase: words in lower case, single pictures and characters of the gram scripts."""
    return _TOKEN(GRAM_RUN.sub(_apart, folded(text)))


def _apart(run: re.Match[str]) -> str:
    return f" {' '.join(run[0])} "


def holds(tokens: tuple[str, ...], text: str) -> bool:
    """Return whether the tokens follow each other in the text with nothing but punctuation and space between them."""
    return pattern_of(tokens).search(folded(text)) is not None


@lru_cache(MEMORY)
def pattern_of(tokens: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a phrase, for a text that `folded` returned; it ignores case by itself too."""
    parts = list[str]()
    for before, token in zip(("", *tokens), tokens, strict=False):
        if before:
            parts.append(r"[\W_]*" if not (_is_word(before) and _is_word(token)) else r"[\W_]+")
        parts.append(re.escape(token))
    start = f"(?<!{IN_WORD})" if _is_word(tokens[0]) and tokens[0][0].isascii() else ""
    end = f"(?!{IN_WORD})" if _is_word(tokens[-1]) and tokens[-1][-1].isascii() else ""
    return re.compile(start + "".join(parts) + end, re.IGNORECASE)


def _is_word(token: str) -> bool:
    return not (GRAM_RUN.match(token) or PICTURE.match(token))
