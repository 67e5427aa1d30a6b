"""Where a plan's terms stand in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from unabridged.index.analysis.letters import GRAM_RUN, IN_WORD, without_marks
from unabridged.index.analysis.plan import Plan

SPANS_MOST = 1_000  # of one text
MEMORY = 64  # plans whose pattern is remembered

# Where a word may begin or end: at the edge of letters and digits, or where camel case changes.
_CASE = "(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
_BEGIN = f"(?:(?<!{IN_WORD})|{_CASE})"
_END = f"(?:(?!{IN_WORD})|{_CASE})"


def spans(plan: Plan, text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return where the plan's terms stand in a text, as character offsets in order, and which they are.

    Longer terms win over those inside them. A text in which nothing stands as it was asked for is looked at again
    without diacritics, width and case.
    """
    found = _find(plan, text, range(len(text) + 1))
    if not found and not text.isascii():
        plain, at = _plain(text)
        found = _find(plan, plain, at)
    found.sort()
    return [(start, end) for start, end, _ in found], list(dict.fromkeys(term for _, _, term in found))


def _find(plan: Plan, text: str, at: Sequence[int]) -> list[tuple[int, int, str]]:
    found = list[tuple[int, int, str]]()
    for match in _pattern(plan).finditer(text):
        found.append((at[match.start()], at[match.end() - 1] + 1, match[0].lower()))
        if len(found) == SPANS_MOST:
            break
    return found


@lru_cache(MEMORY)
def _pattern(plan: Plan) -> re.Pattern[str]:
    texts = sorted(set(_texts(plan)), key=lambda text: (-len(text), text))
    phrases = [
        r"[\W_]+".join(map(re.escape, part))
        for phrase in plan.phrases
        for part in phrase.parts
        if len(part) > 1
    ]
    grams = [re.escape(text) for text in texts if GRAM_RUN.fullmatch(text)]
    others = [*phrases, *(re.escape(text) for text in texts if not GRAM_RUN.fullmatch(text))]
    parts = [f"{_BEGIN}(?i:{'|'.join(others)}){_END}"] if others else []
    return re.compile("|".join([*grams, *parts]) or r"(?!)")


def _texts(plan: Plan) -> Iterable[str]:
    for clause in plan.clauses:
        if clause.kind == "gram":
            yield clause.source
        yield from (form.term for form in clause.forms)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text folded character by character, and where each folded character came from."""
    plain, at = list[str](), list[int]()
    for index, char in enumerate(text):
        folded = without_marks(unicodedata.normalize("NFKC", char).casefold())
        plain.append(folded)
        at.extend([index] * len(folded))
    at.append(len(text))
    return "".join(plain), at
