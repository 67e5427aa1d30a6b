"""Where a plan's terms stand in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from unabridged.index.analysis.letters import GRAM_RUN, IN_WORD, WORDS, without_marks
from unabridged.index.analysis.plan import Plan

SPANS_MOST = 1_000  # of one text
MANY = 40  # words, from which on a text is cut into its words once instead of searched for each
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


def _class(byte: int) -> int:
    letter = chr(byte)
    if byte >= 0x80 or not letter.isalnum():
        return ord(" ")
    return ord("0" if letter.isdigit() else "A" if letter.isupper() else "a")


_CLASSES = bytes(map(_class, range(256)))
_CHANGES = (b"aA", b"0A", b"AAa")  # a word ends behind the first of these, another begins

Place = tuple[int, int, int]  # first character, rank of what stands there, the one behind the last
Match = tuple[int, int, str]  # first character, the one behind the last, the text in lower case


@dataclass(frozen=True, slots=True)
class Needles:
    """What a plan looks for, in the order in which they win where two begin at one place."""

    grams: tuple[str, ...]
    phrases: tuple[tuple[str, re.Pattern[str]], ...]  # first word, the whole with the end of a word behind
    plain: Mapping[str, int]  # words of ASCII letters and digits alone, each with its rank among all needles
    signed: Mapping[str, int]  # others
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
    lower = text.lower()
    places = list[Place]()
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
    if len(needles.plain) >= MANY and text.isascii():
        places += in_runs(needles.plain, text, lower)
        places += alone(needles.signed, text, lower)
    else:
        places += alone(needles.plain, text, lower)
        places += alone(needles.signed, text, lower)
    places.sort()
    found, behind = list[Match](), 0
    for at, _, end in places:
        if at >= behind:
            found.append((at, end, lower[at:end]))
            behind = end
    return found[:SPANS_MOST]


def alone(words: Mapping[str, int], text: str, lower: str) -> Iterator[Place]:
    """Yield where words stand, each looked for by itself."""
    size = len(text)
    for word, rank in words.items():
        at = lower.find(word)
        while at >= 0:
            end = at + len(word)
            # The patterns only say the last word: most edges are ends of the text, or stand beside a sign.
            if (at == 0 or not text[at - 1].isalnum() or _begins(text, at)) and (
                end == size or not text[end].isalnum() or _ends(text, end)
            ):
                yield at, rank, end
            at = lower.find(word, at + 1)


def in_runs(words: Mapping[str, int], text: str, lower: str) -> Iterator[Place]:
    """Yield where words of letters and digits stand in an ASCII text: as a run of them, or between changes of case."""
    runs = lower.encode().translate(WORDS).decode().split(" ")
    ends = list(accumulate(map(len, runs)))
    for number, run in enumerate(runs):
        if run in words:
            end = ends[number] + number  # each run before it has a sign behind
            yield end - len(run), words[run], end
    for edges in _case_edges(text.encode().translate(_CLASSES)):
        for first, start in enumerate(edges[:-1]):
            for end in edges[first + 1 :]:
                if end - start < edges[-1] - edges[0] and (word := lower[start:end]) in words:
                    yield start, words[word], end


def _case_edges(classes: bytes) -> Iterable[list[int]]:
    """Return, for each run of letters and digits in which the case changes, its edges and the changes, in order."""
    runs = dict[int, list[int]]()
    for pattern in _CHANGES:
        at = classes.find(pattern)
        while at >= 0:
            start = classes.rfind(b" ", 0, at) + 1
            runs.setdefault(start, []).append(at + 1)
            at = classes.find(pattern, at + 1)
    for start, changes in runs.items():
        end = classes.find(b" ", start)
        yield [start, *sorted(changes), end if end >= 0 else len(classes)]


def needles_of(plan: Plan) -> Needles:
    """Return what is looked for in texts that answer a plan."""
    texts = sorted(set(_texts(plan)), key=lambda text: (-len(text), text))
    parts = [part for phrase in plan.phrases for part in phrase.parts if len(part) > 1]
    phrases = [r"[\W_]+".join(map(re.escape, part)) for part in parts]
    grams = [text for text in texts if GRAM_RUN.fullmatch(text)]
    words = [text for text in texts if not GRAM_RUN.fullmatch(text)]
    others = [*phrases, *map(re.escape, words)]
    whole = [f"{_BEGIN}(?i:{'|'.join(others)}){_END}"] if others else []
    ranks = dict[str, int]()
    for rank, word in enumerate(words, len(grams) + len(parts)):
        ranks.setdefault(word.lower(), rank)
    return Needles(
        tuple(grams),
        tuple(
            (part[0].lower(), re.compile(f"(?i:{phrase}){_END}"))
            for part, phrase in zip(parts, phrases, strict=True)
        ),
        {word: rank for word, rank in ranks.items() if word.isascii() and word.isalnum()},
        {word: rank for word, rank in ranks.items() if not (word.isascii() and word.isalnum())},
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
