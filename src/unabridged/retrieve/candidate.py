"""A window that may answer a question, as the index found it."""

from __future__ import annotations

from dataclasses import dataclass

from unabridged.schema.ids import Ordinal, ProjectId

POOL = 40  # best candidates, which support one another: the same ones whatever page is asked for


@dataclass(frozen=True, slots=True)
class Candidate:
    """A window from the index: byte range in an event's text, scores, share of the query's weight that it holds.

    `clauses` are those of the query that it holds: their numbers, and the most that each can add to a score.
    """

    project: ProjectId
    event: Ordinal
    start: int
    end: int
    score: float
    exact: float = 0.0
    coverage: float = 0.0
    phrase: bool = False
    fresh: bool = False  # from the tail that is not committed yet
    clauses: tuple[tuple[int, float], ...] = ()
    meaning: float = 0.0  # what its meaning counts beside its lexical score, in the same unit
    meant: bool = False  # it is one of those that are nearest to the question

    fed: float = 0.0  # what it counts for words that the best passages have, where it has none of the query's

    @property
    def total(self) -> float:
        """What it is ordered by before anything around it counts."""
        return self.score + self.meaning + self.fed
