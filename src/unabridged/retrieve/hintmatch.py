"""How much of a message's words a text holds, and where they stand in it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from unabridged.index.analysis.fields import analyse
from unabridged.index.analysis.matching import has_clause
from unabridged.retrieve.conflicts import CUES as REVERSALS
from unabridged.retrieve.hintintent import Word

NEAR = 400  # characters within which words stand together
FAR = 1 << 30  # characters between words that do not all stand in a text
SENTENCE = 200  # characters to each side of words that take something back
PLACES_MOST = 64  # of one word in a text
WEIGHTS = {"name": 1.5, "telling": 1.0, "common": 0.3}  # of a word in what a source holds of a message
PARTS = 0.6  # of a name's weight, where only its words are there

# Words that take something back: a sign that a text with one of them has, and what finds it.
_TAKES_BACK = [
    (sign, re.compile(cue, re.IGNORECASE)) for rows in REVERSALS.values() for sign, cue in rows.items()
]
STEM, ENDING = 5, 3  # letters that relatives of a word share at least, and of its ending
SIDE_BY_SIDE = 24  # characters from the beginning of a word to that of the next
UNKNOWN, LEAST_RARITY = 0.6, 0.3  # what a word counts that no window holds; that every window holds
STRETCHES_MOST = 4  # stretches of a text that are looked at


def held(words: Sequence[Word], text: str) -> tuple[set[int], set[int]]:
    """Return which words a text holds, and which of them that are names it holds whole, by their numbers."""
    terms = analyse(text)
    has = frozenset((*terms.words.split(), *terms.names.split())).__contains__
    found = {at for at, word in enumerate(words) if has_clause(word.clause, has)}
    lower = text.lower()
    found |= {at for at, word in enumerate(words) if at not in found and _has_stem(word, lower)}
    return found, {at for at in found if words[at].rank == "name" and has(words[at].clause.forms[0].term)}


def stem_of(word: Word) -> str:
    """Return what all of a word's relatives begin with, "" for a word that is too short, or a name."""
    source = word.source.lower()
    if word.rank == "name" or word.clause.kind != "word" or len(source) < STEM + 1 or not source.isalpha():
        return ""
    return source[: max(STEM, len(source) - ENDING)]


def _has_stem(word: Word, lower: str) -> bool:
    stem = stem_of(word)
    at = lower.find(stem) if stem else -1
    while at >= 0:
        end = at + len(stem)
        while end < len(lower) and lower[end].isalpha():
            end += 1
        if (not at or not lower[at - 1].isalnum()) and end - at <= len(stem) + ENDING + 1:
            return True
        at = lower.find(stem, at + 1)
    return False


def share_of(words: Sequence[Word], found: Iterable[int], whole: Iterable[int]) -> float:
    """Return the share of the words' weight that some of them have; a name that is there in parts counts less."""
    complete = set(whole)
    got = sum(
        weight_of(words[at]) * (PARTS if words[at].rank == "name" and at not in complete else 1.0)
        for at in found
    )
    total = sum(map(weight_of, words))
    return got / total if total else 0.0


def weight_of(word: Word) -> float:
    """Return how much a word counts in what a source holds of a message."""
    return WEIGHTS[word.rank] * word.rarity


def rarity(word: Word, frequency: int, total: int) -> float:
    """Return how much a word tells in an archive of `total` windows of which `frequency` hold it (0-1)."""
    if frequency <= 0:
        return 1.0 if word.rank == "name" or not word.source.islower() else UNKNOWN
    if word.rank == "name":
        return 1.0
    return max(LEAST_RARITY, math.log((total + 1) / (frequency + 1)) / math.log(total + 1))


def spots(words: Sequence[Word], found: Iterable[int], text: str) -> dict[int, list[int]]:
    """Return where the telling ones of the words (where there are none, all) stand in a text, by their numbers."""
    lower = text.lower()
    found = set(found)
    found = {number for number in found if words[number].rank != "common"} or found
    places_of = dict[int, list[int]]()
    for number in found:
        starts = places_of.setdefault(number, [])
        for form in (
            words[number].source.lower(),
            *(form.term.lower() for form in words[number].clause.forms),
            *filter(None, [stem_of(words[number])]),
        ):
            at = lower.find(form)
            while at >= 0 and len(starts) < PLACES_MOST:
                starts.append(at)
                at = lower.find(form, at + 1)
            if starts:
                break
    return {number: sorted(starts) for number, starts in places_of.items() if starts}


def spread_of(near: dict[int, list[int]]) -> int:
    """Return the characters from the first to the last of the words where they stand nearest each other."""
    starts = sorted((at, number) for number, places_of in near.items() for at in places_of)
    least = FAR
    for first, (at, _) in enumerate(starts):
        missing = set(near)
        for other, number in starts[first:]:
            missing.discard(number)
            if not missing:
                least = min(least, other - at)
                break
    return least if near else 0


def has_pair(pairs: Iterable[tuple[int, int]], near: dict[int, list[int]]) -> bool:
    """Tell whether two words that stand side by side in a message do so in a text."""
    return any(
        0 < other - at <= SIDE_BY_SIDE
        for first, second in pairs
        for at in near.get(first, ())
        for other in near.get(second, ())
    )


def beside(text: str, near: dict[int, list[int]], reach: int = SENTENCE) -> list[str]:
    """Return the stretches of a text in which the words stand, as far as `reach` to each side; at most so many."""
    found = list[tuple[int, int]]()
    for at in sorted(at for starts in near.values() for at in starts):
        low, high = max(0, at - reach), at + reach
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], high)
        elif len(found) < STRETCHES_MOST:
            found.append((low, high))
    return [text[low:high] for low, high in found]


def reverses(text: str, near: dict[int, list[int]]) -> bool:
    """Tell whether words that take something back stand beside what was asked about."""
    return any(
        sign in lower and cue.search(part)
        for part in beside(text, near)
        for lower in (part.lower(),)
        for sign, cue in _TAKES_BACK
    )


def may_hold(words: Sequence[Word], lower: str) -> bool:
    """Tell quickly whether a text in small letters can hold any of the words."""
    return any(
        form in lower
        for word in words
        for form in (*(form.term.lower() for form in word.clause.forms), stem_of(word))
        if form
    )
