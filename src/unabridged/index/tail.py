"""What has been admitted but is not in the index yet, searched in memory."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from unabridged.index.analysis.fields import GAP, Terms, analyse
from unabridged.index.analysis.letters import LONG_TERM
from unabridged.index.analysis.matching import has_clause, satisfies
from unabridged.index.analysis.phrase import holds
from unabridged.index.analysis.plan import Clause, Plan
from unabridged.index.layout import NAMES, WORDS, LexicalDoc, LexicalFilter, field_of
from unabridged.index.newest import in_order
from unabridged.index.scoring import (
    WEIGHTS,
    Statistics,
    Weighted,
    coverage,
    evened,
    phrase_bonus,
    rarity,
    saturation,
    telling,
    weigh,
    worth,
)
from unabridged.index.searching import LexicalHit

BYTES_MOST = 1 << 20  # of text; a commit follows within half a second, so more is a burst
WINDOWS_MOST = 500
EVERYTHING = LexicalFilter()


@dataclass(frozen=True, slots=True)
class _Content:
    """What a window holds: its terms with their counts."""

    terms: Terms
    counts: Mapping[str, int]
    lengths: Mapping[str, int]  # terms by field


class _Entry:
    """One window and its position in its project's log.

    Its text is analysed by the first search that looks at it: whoever admits it does not wait for that, and most are in
    the index before anybody searches.
    """

    __slots__ = ("_content", "doc", "position")

    def __init__(self, position: int, doc: LexicalDoc) -> None:
        self.position = position
        self.doc = doc
        self._content: _Content | None = None

    @property
    def content(self) -> _Content:
        """What it holds; two threads that ask at once both find it out, to the same end."""
        found = self._content
        if found is None:
            found = self._content = _content(self.doc.text)
        return found


class _Together:
    """The statistics of an index and a tail as if all were in one index."""

    def __init__(self, index: Statistics, entries: list[_Entry]) -> None:
        self._index = index
        self._counts = Counter[str]()
        for entry in entries:
            self._counts.update(entry.content.counts.keys())
        self.total = index.total + len(entries)
        self._averages = dict[str, float]()
        for field in (WORDS, NAMES):
            length = sum(entry.content.lengths[field] for entry in entries)
            self._averages[field] = (index.average(field) * index.total + length) / max(1, self.total)

    def frequency(self, term: str) -> int:
        """Return the number of windows that hold a term."""
        return self._index.frequency(term) + self._counts[term]

    def average(self, field: str) -> float:
        """Return the mean number of terms of a window in a field."""
        return self._averages[field]


class Tail:
    """Windows in the order of their admission, until a commit of the index covers them. For any number of threads."""

    def __init__(self) -> None:
        """Begin empty."""
        self._lock = threading.Lock()
        self._entries = list[_Entry]()
        self._size = 0
        self._missing = dict[bytes, int]()  # project → last position that did not fit

    def __len__(self) -> int:
        """Return the number of windows held."""
        return len(self._entries)

    @property
    def overflowed(self) -> bool:
        """Whether something was admitted that neither the tail nor a covered position of the index holds."""
        return bool(self._missing)

    def add(self, docs: Iterable[LexicalDoc], position: int) -> None:
        """Take the windows of a project's log entry; what does not fit is left out, which `overflowed` tells."""
        for doc in docs:
            size = len(doc.text.encode("utf-8", "surrogatepass"))
            if doc.project in self._missing or not self._fits(size):
                with self._lock:
                    self._missing[doc.project] = position
                continue
            with self._lock:
                self._entries = [*self._entries, _Entry(position, doc)]
                self._size += size

    def drop_through(self, project: bytes, position: int) -> None:
        """Forget a project's windows up to a position that the index has committed."""
        with self._lock:
            kept = [e for e in self._entries if e.doc.project != project or e.position > position]
            self._keep(kept)
            if self._missing.get(project, position + 1) <= position:
                del self._missing[project]

    def discard(self, project: bytes, ordinals: Iterable[int]) -> None:
        """Forget every window of events that are retired or erased."""
        gone = {(project, ordinal) for ordinal in ordinals}
        with self._lock:
            self._keep([e for e in self._entries if (e.doc.project, e.doc.ordinal) not in gone])

    def _fits(self, size: int) -> bool:
        return self._size + size <= BYTES_MOST and len(self._entries) < WINDOWS_MOST

    def _keep(self, entries: list[_Entry]) -> None:
        self._entries = entries
        self._size = sum(len(e.doc.text.encode("utf-8", "surrogatepass")) for e in entries)

    def held(self) -> Held:
        """Return what it holds now, to be searched later.

        Take it before the state of the index is: between the two, a commit may bring to the index what the tail then
        forgets, and who looked at the index first would find it in neither.
        """
        return Held(self._entries)


class Held:
    """What a tail held at one moment."""

    def __init__(self, entries: list[_Entry]) -> None:
        """Keep `entries`, which nobody changes."""
        self._entries = entries

    def search(
        self, plan: Plan, statistics: Statistics, where: LexicalFilter = EVERYTHING, limit: int = 10
    ) -> list[LexicalHit]:
        """Return the best windows, scored as the index will score them; `statistics` are those of its state."""
        entries = self._entries
        if plan.empty or not entries:
            return []
        together = _Together(statistics, entries)
        weights = weigh(plan, together)
        kept = telling(weights, together.total)
        scored = replace(plan, clauses=tuple(plan.clauses[at] for at in kept))
        weights = [weights[at] for at in kept]
        bonus = phrase_bonus(plan.phrases, together)
        hits = list[LexicalHit]()
        for entry in entries:
            if where.allows(entry.doc) and (hit := _hit(entry, scored, weights, together, bonus)):
                hits.append(replace(hit, matched=tuple(kept[at] for at in hit.matched)))
        hits.sort(key=lambda hit: (-hit.score, hit.place))
        return hits[:limit]

    def newest(self, where: LexicalFilter) -> list[LexicalHit]:
        """Return all windows that pass a filter (but for its words), unscored."""
        return [
            LexicalHit(
                entry.doc.project,
                entry.doc.ordinal,
                entry.doc.window,
                entry.doc.start,
                entry.doc.end,
                entry.doc.time,
                0.0,
                fresh=True,
            )
            for entry in self._entries
            if where.allows(entry.doc)
        ]

    def join(
        self, hits: list[LexicalHit], plan: Plan, state: Statistics, where: LexicalFilter, limit: int
    ) -> list[LexicalHit]:
        """Return an index's hits with what is held, in one order."""
        return merged(hits, self.search(plan, state, where, limit), limit) if self._entries else hits

    def join_newest(self, hits: list[LexicalHit], where: LexicalFilter, limit: int) -> list[LexicalHit]:
        """Return an index's newest hits with what is held, in one order."""
        known = {hit.place for hit in hits}
        fresh = [hit for hit in self.newest(where) if hit.place not in known]
        return in_order([*hits, *fresh], where)[:limit]


def merged(hits: Sequence[LexicalHit], fresh: Iterable[LexicalHit], limit: int) -> list[LexicalHit]:
    """Return the hits of an index and of its tail in one order; what the index has already is not taken twice."""
    known = {hit.place for hit in hits}
    both = [*hits, *(hit for hit in fresh if hit.place not in known)]
    both.sort(key=lambda hit: (-hit.score, hit.place))
    return both[:limit]


def _content(text: str) -> _Content:
    terms = analyse(text)
    words = [word for word in terms.words.split() if word != GAP.strip() and len(word.encode()) < LONG_TERM]
    names = [name for name in terms.names.split() if len(name.encode()) < LONG_TERM]
    counts = Counter(words)
    counts.update(set(names))
    return _Content(terms, counts, {WORDS: len(words), NAMES: len(names)})


def _hit(
    entry: _Entry, plan: Plan, weights: list[list[Weighted]], together: _Together, bonus: float
) -> LexicalHit | None:
    doc, content = entry.doc, entry.content
    has = content.counts.__contains__
    holding = bool(plan.phrases) and all(holds(phrase, content.terms) for phrase in plan.phrases)
    if plan.expression is not None:
        if not satisfies(plan.expression, content.terms, has):
            return None
    elif plan.strict:
        if not holding:
            return None
    elif not any(has(item.term) for items in weights for item in items):
        return None
    score = sum(
        _clause_score(clause, items, content, together)
        for clause, items in zip(plan.clauses, weights, strict=True)
    )
    score *= WEIGHTS.get(doc.weight, 1.0) * evened(doc.end - doc.start, together.average(WORDS))
    matched = tuple(at for at, clause in enumerate(plan.clauses) if has_clause(clause, has))
    whole = [at for at in matched if plan.clauses[at].kind == "name" and has(plan.clauses[at].forms[0].term)]
    exact = sum(weights[at][0].most for at in whole)
    return LexicalHit(
        doc.project,
        doc.ordinal,
        doc.window,
        doc.start,
        doc.end,
        doc.time,
        score + (bonus if holding and plan.expression is None else 0.0),
        exact,
        coverage(plan, weights, matched),
        matched,
        tuple(worth(weights[at]) for at in matched),
        holding,
        True,
    )


def _clause_score(clause: Clause, items: list[Weighted], content: _Content, together: _Together) -> float:
    scores = [
        item.factor
        * rarity(together.total, item.frequency)
        * saturation(count, content.lengths[field_of(item.term)], together.average(field_of(item.term)))
        for item in items
        if (count := content.counts.get(item.term, 0))
    ]
    if not scores:
        return 0.0
    return max(scores) if clause.kind == "word" else sum(scores)
