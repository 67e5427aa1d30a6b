"""How much a match counts: BM25, and the classes of text.

BM25 as in S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the fixed
parameters of the index engine, so that what is not committed yet scores as it will when it is. Its length normalisation
is then evened out (`evened`): among short texts length says nothing, among long ones everything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from unabridged.index.analysis.plan import Clause, Phrase, Plan

K1 = 1.2
B = 0.75
SHORT = 50  # words; a text of fewer is no better for being shorter, else a greeting beats what it greets
WORD_BYTES = 6  # of a text, that count as a word
PHRASE = 0.75  # of the score that a phrase's words can reach, for holding the phrase itself
SCORED_MOST = 64  # clauses of a plan
SMALL = 20_000  # windows; below that every term of a query is looked at everywhere
MINOR = 0.02  # of a query's weight; what a clause has at least to be looked at in a large index
OTHER_FORM = 0.25  # of a form's factor where forms are summed, so that the sum is near the best form's score

# Classes of windows. What people and agents said and decided counts more than what tools printed.
TOOL, ASSISTANT, USER, DECISION = 0, 1, 2, 3
WEIGHTS = {TOOL: 1.0, ASSISTANT: 1.08, USER: 1.3, DECISION: 1.4}


class Statistics(Protocol):
    """What a collection of windows knows of itself."""

    @property
    def total(self) -> int:
        """Number of windows."""
        ...

    def frequency(self, term: str) -> int:
        """Return the number of windows that hold a term."""
        ...

    def average(self, field: str) -> float:
        """Return the mean number of terms of a window in a field (`layout.WORDS`, `layout.NAMES`)."""
        ...


class Weighted(NamedTuple):
    """A term that some window holds, the factor of its BM25 score, and the most that it can add.

    `finding` is its factor where scores of a word's forms are summed instead of compared.
    """

    term: str
    factor: float
    most: float
    frequency: int
    finding: float


def rarity(total: int, frequency: int) -> float:
    """Return the inverse document frequency of a term."""
    return math.log(1 + (total - min(frequency, total) + 0.5) / (min(frequency, total) + 0.5))


def saturation(count: int, length: int, average: float) -> float:
    """Return how much `count` occurrences in a field of `length` terms add, without the term's rarity."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / max(average, 1e-9)))


def evened(size: int, average: float) -> float:
    """Return the factor of a window's score by its bytes, where windows have `average` words in the mean.

    It takes back the engine's length normalisation, as it is for a word that stands there once, and puts another in its
    place: b = 1, and every text below `SHORT` counts as that long.
    """
    words = size / WORD_BYTES
    kept = 1 + K1 * (1 - B + B * words / max(average, 1.0))
    return kept / (1 + K1 * max(words, SHORT) / max(average, SHORT))


def weigh(plan: Plan, statistics: Statistics) -> list[list[Weighted]]:
    """Return the terms of each clause with their factors; terms that no window holds are left out.

    The forms of a word together are as rare as the word: an inflection is not worth more for being seldom. When the
    whole of a name is found somewhere its parts count little, else they are all there is.
    """
    return [_weigh(clause, statistics) for clause in plan.clauses]


def _weigh(clause: Clause, statistics: Statistics) -> list[Weighted]:
    found = [(form, frequency) for form in clause.forms if (frequency := statistics.frequency(form.term))]
    if not found:
        return []
    total = statistics.total
    together = 0.0
    if clause.kind == "word":
        together = rarity(total, min(total, sum(frequency for _, frequency in found)))
    whole = clause.kind != "name" or found[0][0] is clause.forms[0]
    items = list[Weighted]()
    for form, frequency in found:
        own = rarity(total, frequency)
        factor = clause.weight * (form.weight if whole else 1.0)
        if together and own > 0:
            factor *= together / own
        items.append(Weighted(form.term, factor, factor * own * (K1 + 1), frequency, factor))
    if clause.kind == "word":
        best = max(items, key=lambda item: item.most)
        items = [item if item is best else item._replace(finding=item.factor * OTHER_FORM) for item in items]
    return items


def telling(weights: Sequence[Sequence[Weighted]], total: int) -> list[int]:
    """Return the indexes of the clauses that windows are scored by, in order.

    Of a long query they are the heaviest; in a large index (`total` windows) those that can hardly change the order
    are left out, since they cost as much as the others.
    """
    most = [worth(items) for items in weights]
    least = MINOR * sum(most) if total > SMALL else 0.0
    kept = [at for at in range(len(weights)) if most[at] >= least or not weights[at]]
    return sorted(sorted(kept, key=lambda at: (-most[at], at))[:SCORED_MOST])


def worth(items: Sequence[Weighted]) -> float:
    """Return the most that a clause can add to a score."""
    return max((item.most for item in items), default=0.0)


def coverage(plan: Plan, weights: Sequence[Sequence[Weighted]], matched: Iterable[int]) -> float:
    """Return the share of a query's weight that satisfied clauses have.

    A clause that no window anywhere satisfies weighs as much as the heaviest of the others: it was asked for.
    """
    most = [worth(clause) for clause in weights]
    absent = max(most, default=0.0)
    whole = sum(value or absent * clause.weight for value, clause in zip(most, plan.clauses, strict=True))
    return sum(most[at] for at in matched) / whole if whole else 0.0


def phrase_bonus(phrases: Iterable[Phrase], statistics: Statistics) -> float:
    """Return what a window gains by holding phrases, beside the score of their words."""
    terms = {term for phrase in phrases for term in phrase.terms}
    return PHRASE * sum(
        rarity(statistics.total, statistics.frequency(term)) * (K1 + 1) for term in sorted(terms)
    )
