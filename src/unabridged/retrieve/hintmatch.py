"""How much of a message's words a text holds, and where they stand in it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from unabridged.index.analysis.fields import analyse
from unabridged.index.analysis.matching import has_clause, words_of
from unabridged.retrieve.conflicts import CUES as REVERSALS
from unabridged.retrieve.hintintent import Word
from unabridged.retrieve.hintkin import kin_of

NEAR = 400  # characters within which words stand together
FAR = 1 << 30  # characters between words that do not all stand in a text
SENTENCE = 200  # characters to each side of words that take something back
PLACES_MOST = 64  # of one word in a text
WEIGHTS = {"name": 1.5, "telling": 1.0, "common": 0.3}  # of a word in what a source holds of a message
PARTS = 0.6  # of a name's weight, where only its words are there
KIN = 0.75  # of a word's weight, where only one that says the same is there

# Words that take something back: a sign that a text with one of them has, and what finds it.
_TAKES_BACK = [
    (sign, re.compile(cue, re.IGNORECASE)) for rows in REVERSALS.values() for sign, cue in rows.items()
]
STEM, ENDING = 5, 3  # letters that relatives of a word share at least, and of its ending
SIDE_BY_SIDE = 24  # characters from the beginning of a word to that of the next
UNKNOWN, LEAST_RARITY = 0.5, 0.3  # what a word counts that no window holds; that every window holds
STRETCHES_MOST = 4  # stretches of a text that are looked at


@dataclass(slots=True)
class Held:
    """Which of some words a text holds, by their numbers.

    places: where each of them begins. whole: those that are names and stand there whole. kin: those of which only a
    word that says the same stands there.
    """

    places: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    whole: set[int] = field(default_factory=set[int])
    kin: set[int] = field(default_factory=set[int])


class Needles:
    """What some words look like in a text, made ready once for all the texts that they are looked for in."""

    def __init__(self, words: Sequence[Word], *, kin: bool = False) -> None:
        """Look for words; `kin`: for those that say the same, too."""
        self.words = words
        self._forms = [_forms_of(word) for word in words]
        self._roots = [_common(forms) for forms in self._forms]
        self._stems = [stem_of(word) for word in words]
        self._parts = [
            [part.lower() for part in words_of(word.clause)] if word.clause.kind == "name" else []
            for word in words
        ]
        self._kin = [kin_of(word.source.lower()) if kin and word.rank != "name" else () for word in words]

    def find(self, text: str) -> Held:
        """Return what a text holds."""
        lower = text.lower()
        if not text.isascii() or len(lower) != len(text):
            return self._analysed(text, lower)
        found = Held()
        for number in range(len(self.words)):
            places = list[int]()
            if self._roots[number] in lower:
                for form in self._forms[number]:
                    places += _standing(text, lower, form, 0)
            if places:
                if self.words[number].rank == "name":
                    found.whole.add(number)
            elif stem := self._stems[number]:
                places += _standing(text, lower, stem, ENDING + 1)
            if not places and self._parts[number]:
                parts = [next(_standing(text, lower, part, 0), -1) for part in self._parts[number]]
                places += [parts[0]] if min(parts) >= 0 else []
            if not places and self._kin[number]:
                for start, most in self._kin[number]:
                    places += _standing(text, lower, start, most)
                if places:
                    found.kin.add(number)
            if places:
                found.places[number] = sorted(places[:PLACES_MOST])
        return found

    def _analysed(self, text: str, lower: str) -> Held:
        """Return what a text in any script holds: its words as the index has them."""
        terms = analyse(text)
        has = frozenset((*terms.words.split(), *terms.names.split())).__contains__
        numbers = {at for at, word in enumerate(self.words) if has_clause(word.clause, has)}
        numbers |= {
            at
            for at, stem in enumerate(self._stems)
            if at not in numbers and stem and any(_standing(lower, lower, stem, ENDING + 1))
        }
        whole = {
            at for at in numbers if self.words[at].rank == "name" and has(self.words[at].clause.forms[0].term)
        }
        places = {at: _anywhere(self.words[at], lower) for at in numbers}
        return Held(places, whole)


def _common(forms: Sequence[str]) -> str:
    """Return what all of some words begin with."""
    low, high = min(forms), max(forms)
    size = next(
        (at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low)
    )
    return low[:size]


def _forms_of(word: Word) -> list[str]:
    """Return how a word may be written, in small letters; of a name its whole."""
    forms = word.clause.forms if word.clause.kind == "word" else word.clause.forms[:1]
    return list(dict.fromkeys((word.source.lower(), *(form.term.lower() for form in forms))))


def _standing(text: str, lower: str, start: str, most: int) -> Iterator[int]:
    """Yield where a word that begins with `start`, and has at most so many letters more, stands in a text."""
    at, size = lower.find(start), len(lower)
    while at >= 0:
        end = at + len(start)
        if not at or not lower[at - 1].isalnum() or (text[at].isupper() and text[at - 1].islower()):
            stop = end
            while most and stop < size and stop - end <= most and lower[stop].isalpha():
                stop += 1
            if stop - end <= most and (
                stop >= size
                or not lower[stop].isalnum()
                or (text[stop].isupper() and text[stop - 1].islower())
            ):
                yield at
        at = lower.find(start, end)


def _anywhere(word: Word, lower: str) -> list[int]:
    """Return where a word that a text holds stands in it, as far as that can be seen."""
    for form in (*_forms_of(word), *(form.term.lower() for form in word.clause.forms), stem_of(word)):
        starts = list[int]()
        at = lower.find(form) if form else -1
        while at >= 0 and len(starts) < PLACES_MOST:
            starts.append(at)
            at = lower.find(form, at + 1)
        if starts:
            return starts
    return []


def stem_of(word: Word) -> str:
    """Return what all of a word's relatives begin with, "" for a word that is too short, or a name."""
    source = word.source.lower()
    if word.rank == "name" or word.clause.kind != "word" or len(source) < STEM + 1 or not source.isalpha():
        return ""
    return source[: max(STEM, len(source) - ENDING)]


def share_of(
    words: Sequence[Word], found: Iterable[int], whole: Iterable[int], kin: Iterable[int] = ()
) -> float:
    """Return the share of the words' weight that some of them have.

    A name that is there in parts counts less, and so does a word for which another one stands.
    """
    complete, others = set(whole), set(kin)
    got = sum(
        weight_of(words[at])
        * (PARTS if words[at].rank == "name" and at not in complete else KIN if at in others else 1.0)
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


def spots(words: Sequence[Word], held: Held) -> dict[int, list[int]]:
    """Return where the telling ones of the words that a text holds (where there are none, all) stand in it."""
    telling = {at: starts for at, starts in held.places.items() if words[at].rank != "common"}
    return {at: starts for at, starts in (telling or held.places).items() if starts}


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
