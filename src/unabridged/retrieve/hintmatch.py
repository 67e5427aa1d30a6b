"""How much of a message's words a text holds, and where they stand in it."""

from __future__ import annotations

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

_TAKES_BACK = re.compile("|".join(cue for rows in REVERSALS.values() for cue in rows.values()), re.IGNORECASE)


def held(words: Sequence[Word], text: str) -> tuple[set[int], set[int]]:
    """Return which words a text holds, and which of them that are names it holds whole, by their numbers."""
    terms = analyse(text)
    has = frozenset((*terms.words.split(), *terms.names.split())).__contains__
    found = {at for at, word in enumerate(words) if has_clause(word.clause, has)}
    return found, {at for at in found if words[at].rank == "name" and has(words[at].clause.forms[0].term)}


def share_of(words: Sequence[Word], found: Iterable[int], whole: Iterable[int]) -> float:
    """Return the share of the words' weight that some of them have; a name that is there in parts counts less."""
    complete = set(whole)
    got = sum(
        WEIGHTS[words[at].rank] * (PARTS if words[at].rank == "name" and at not in complete else 1.0)
        for at in found
    )
    total = sum(WEIGHTS[word.rank] for word in words)
    return got / total if total else 0.0


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


def reverses(text: str, near: dict[int, list[int]]) -> bool:
    """Tell whether words that take something back stand beside what was asked about."""
    for cue in _TAKES_BACK.finditer(text):
        low, high = cue.start() - SENTENCE, cue.end() + SENTENCE
        if any(low <= at <= high for starts in near.values() for at in starts):
            return True
    return False
