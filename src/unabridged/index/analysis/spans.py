"""Where a plan's terms stand in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from unabridged.index.analysis.letters import GRAM_RUN, IN_WORD, without_marks
from unabridged.index.analysis.plan import Plan

SPANS_MOST = 1_000  # of one text
MEMORY = 64  # patterns remembered

# Where a word may begin or end: at the edge of letters and digits, or where camel case changes.
_CASE = "(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
_BEGIN = f"(?:(?<!{IN_WORD})|{_CASE})"
_END = f"(?:(?!{IN_WORD})|{_CASE})"
_begins, _ends = re.compile(_BEGIN).match, re.compile(_END).match

# Letters that a pattern without case finds although lower case tells them apart (a long and a short s), or whose lower
# case depends on their neighbours or is longer: texts and terms with one are left to the pattern.
ODD = re.compile(
    "[\u00b5\u0130\u0131\u017f\u0345\u03a3\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1c80-\u1c88"
    "\u1e9b\u1fbe\u1fd3\u1fe3\ufb05\ufb06]"
)

Match = tuple[int, int, str]  # first character, the one behind the last, the text in lower case


@dataclass(frozen=True, slots=True)
class Needles:
    """What a plan looks for, in the order in which they win where two begin at one place."""

    grams: tuple[str, ...]
    phrases: tuple[tuple[str, re.Pattern[str]], ...]  # first word, the whole with the end of a word behind
    words: tuple[str, ...]
    odd: bool
    pattern: str  # finds the same, a letter at a time


def spans(needles: Needles, text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return where a plan's terms stand in a text, as character offsets in order, and which they are.

    Longer terms win over those inside them. A text in which nothing stands as it was asked for is looked at again
    without diacritics, width and case.
    """
    found = _find(needles, text)
    if not found and not text.isascii():
        plain, at = _plain(text)
        found = [(at[start], at[end - 1] + 1, term) for start, end, term in _find(needles, plain)]
    found.sort()
    return [(start, end) for start, end, _ in found], list(dict.fromkeys(term for _, _, term in found))


def _find(needles: Needles, text: str) -> list[Match]:
    odd = needles.odd or not (text.isascii() or ODD.search(text) is None)
    return by_pattern(needles, text) if odd else by_needle(needles, text)


def by_pattern(needles: Needles, text: str) -> list[Match]:
    """Return what stands in any text. The pattern is tried at every letter, which takes a millisecond a window."""
    found = list[Match]()
    for match in _compiled(needles.pattern).finditer(text):
        found.append((match.start(), match.end(), match[0].lower()))
        if len(found) == SPANS_MOST:
            break
    return found


def by_needle(needles: Needles, text: str) -> list[Match]:
    """Return the same for a text without odd letters: looks for each needle, then keeps the first and longest."""
    lower, size = text.lower(), len(text)
    places = list[tuple[int, int, int]]()  # first character, rank of the needle, the one behind the last
    for rank, gram in enumerate(needles.grams):
        at = text.find(gram)
        while at >= 0:
            places.append((at, rank, at + len(gram)))
            at = text.find(gram, at + 1)
    behind = len(needles.grams)
    for rank, (first, phrase) in enumerate(needles.phrases, behind):
        at = lower.find(first)
        while at >= 0:
            if _begins(text, at) and (match := phrase.match(text, at)):
                places.append((at, rank, match.end()))
            at = lower.find(first, at + 1)
    behind += len(needles.phrases)
    for rank, word in enumerate(needles.words, behind):
        at = lower.find(word)
        while at >= 0:
            end = at + len(word)
            # The patterns only say the last word: most edges are ends of the text, or stand beside a sign.
            if (at == 0 or not text[at - 1].isalnum() or _begins(text, at)) and (
                end == size or not text[end].isalnum() or _ends(text, end)
            ):
                places.append((at, rank, end))
            at = lower.find(word, at + 1)
    places.sort()
    found, behind = list[Match](), 0
    for at, _, end in places:
        if at >= behind:
            found.append((at, end, lower[at:end]))
            behind = end
    return found[:SPANS_MOST]


def needles_of(plan: Plan) -> Needles:
    """Return what is looked for in texts that answer a plan."""
    texts = sorted(set(_texts(plan)), key=lambda text: (-len(text), text))
    parts = [part for phrase in plan.phrases for part in phrase.parts if len(part) > 1]
    phrases = [r"[\W_]+".join(map(re.escape, part)) for part in parts]
    grams = [text for text in texts if GRAM_RUN.fullmatch(text)]
    words = [text for text in texts if not GRAM_RUN.fullmatch(text)]
    others = [*phrases, *map(re.escape, words)]
    whole = [f"{_BEGIN}(?i:{'|'.join(others)}){_END}"] if others else []
    return Needles(
        tuple(grams),
        tuple(
            (part[0].lower(), re.compile(f"(?i:{phrase}){_END}"))
            for part, phrase in zip(parts, phrases, strict=True)
        ),
        tuple(word.lower() for word in words),
        any(ODD.search(text) for text in (*texts, *(word for part in parts for word in part))),
        "|".join([*map(re.escape, grams), *whole]) or r"(?!)",
    )


@lru_cache(MEMORY)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


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
    return "".join(plain), at
