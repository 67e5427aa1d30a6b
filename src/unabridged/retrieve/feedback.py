"""Where words find little: what the best passages speak of, too, is looked for once more.

Pseudo-relevance feedback by Bo1 (G. Amati, C. J. van Rijsbergen, "Probabilistic models of information retrieval based
on measuring the divergence from randomness", 2002): a word of the best passages is worth the more, the more often it
stands there and the more seldom elsewhere. It adds passages and takes none away: what it finds has a part of the score
of the best passage that holds the question's own words. Who looks for a name or a phrase wants exactly that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unabridged.errors import UnabridgedError
from unabridged.index.analysis.fields import analyse
from unabridged.index.analysis.plan import Clause, Form, Plan
from unabridged.index.analysis.query import plan_query
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.schema.ids import ProjectId

WEAK = 0.5  # share of the question's weight that the best passage has, below which words found little
READ = 5  # best passages, whose words are counted
READ_BYTES = 3_600  # of each
CONSIDERED = 60  # most frequent words of theirs that are judged
TERMS = 8  # words that are looked for
SHORTEST = 3  # letters of such a word
COMMON = 0.02  # share of all windows, from which on a word says nothing
MOST = 5_000  # windows that have such a word: more would cost as much as the question itself
ADDED = 20  # passages added
PART = 0.3  # of the best passage's score, that the best of the added ones has


@dataclass(frozen=True, slots=True)
class Fed:
    """The words that were looked for beside the question's, and what they found."""

    words: tuple[str, ...] = ()
    found: Sequence[Candidate] = ()


def feed_back(
    context: Context,
    finder: Finder,
    request: Search,
    projects: Sequence[ProjectId] | None,
    eligible: Eligibility,
    candidates: Sequence[Candidate],
) -> Fed:
    """Return what the words of the best passages find; nothing where a passage holds half of the question."""
    if request.operators or not candidates or max(item.coverage for item in candidates) >= WEAK:
        return Fed()
    plan = plan_query(request.query)
    if plan.phrases or any(clause.kind == "name" for clause in plan.clauses):
        return Fed()
    counts, read = _counts(context, eligible, candidates)
    words = _words(finder, plan, counts, read)
    if not words:
        return Fed()
    asked = Search(" ".join(words), filters=request.filters)
    found = finder.candidates(asked, projects, ADDED)
    if not found:
        return Fed()
    best, most = max(item.score for item in candidates), max(item.score for item in found)
    return Fed(words, [_part(item, PART * best * item.score / most) for item in found])


def join(found: Sequence[Candidate], fed: Fed) -> Sequence[Candidate]:
    """Return candidates with those that feedback adds behind them."""
    known = {(item.project, item.event) for item in found}
    return [*found, *(item for item in fed.found if (item.project, item.event) not in known)]


def _part(item: Candidate, score: float) -> Candidate:
    return replace(item, score=0.0, exact=0.0, coverage=0.0, phrase=False, clauses=(), fed=score)


def _counts(
    context: Context, eligible: Eligibility, candidates: Sequence[Candidate]
) -> tuple[Counter[str], Mapping[str, int]]:
    """Return how often words stand in the best passages, and in how many of them."""
    counts, held = Counter[str](), Counter[str]()
    pairs, _ = eligible.sift(candidates[:READ])
    for candidate, event in pairs:
        try:
            text = context.resolver.event_bytes(event)[candidate.start : candidate.end]
        except UnabridgedError:
            continue
        words = analyse(text[:READ_BYTES].decode("utf-8", "ignore")).words.split()
        counts.update(words)
        held.update(set(words))
    return counts, held


def _words(finder: Finder, plan: Plan, counts: Counter[str], read: Mapping[str, int]) -> tuple[str, ...]:
    known = {form.term for clause in plan.clauses for form in clause.forms}
    words = [
        word
        for word, _ in sorted(counts.items(), key=lambda item: (-read[item[0]], -item[1], item[0]))
        if len(word) >= SHORTEST and word.isalpha() and word not in STOPWORDS and word not in known
        if read[word] > 1
    ][:CONSIDERED]
    clauses = [Clause("word", word, (Form(word, 1.0),)) for word in words]
    frequencies, total = finder.frequencies(clauses)
    weights = {
        word: _weight(counts[word], frequency / total)
        for word, frequency in zip(words, frequencies, strict=True)
        if total and 1 < frequency <= min(MOST, max(COMMON * total, READ))
    }
    return tuple(sorted(weights, key=lambda word: (-weights[word], word))[:TERMS])


def _weight(count: int, share: float) -> float:
    return count * math.log2((1 + share) / share) + math.log2(1 + share)
