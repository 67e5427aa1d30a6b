"""What every question is asked with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Protocol

from unabridged.archive.resolve import Resolver
from unabridged.retrieve.locator import Locators
from unabridged.schema.ids import Micros, Ordinal, ProjectId
from unabridged.schema.scope import Scope
from unabridged.store.contract import Reader
from unabridged.vectors.asked import Nearest, Where


class Meanings(Protocol):
    """The vectors as search sees them."""

    def ask(
        self, text: str, where: Where, limit: int, patience: float, also: Sequence[tuple[bytes, int]] = ()
    ) -> Nearest | str:
        """Return the nearest spans, or in a word of `retrieve.meaning` why there are none; `patience` is in seconds."""
        ...

    def judges(self) -> bool:
        """Tell whether there is a cross-encoder."""
        ...

    def judge(self, question: str, passages: Sequence[str]) -> list[float] | str:
        """Return how well each passage answers, of the first that it had the time for, or why there is nothing."""
        ...

    def behind(self) -> int:
        """Return how many log entries have no vectors yet."""
        ...


# Place of a message → how often it was recalled after it was shown.
Used = Mapping[tuple[ProjectId, Ordinal], int]
Redact = Callable[[str], tuple[str, int]]  # text → text without secrets, how many were taken out


@dataclass(frozen=True, slots=True)
class Context:
    """One consistent state, what the caller may see of it, and the clock. For one thread."""

    reader: Reader
    resolver: Resolver
    scope: Scope
    locators: Locators
    now: Micros
    redact: Redact
    generation: int = 0  # of the index
    zone: tzinfo = UTC  # the user's
    meanings: Meanings | None = None  # the vectors, where a model is installed
    cancelled: Callable[[], bool] = lambda: False
    cues: tuple[str, ...] = ()  # the user's own (see `cues`)
    used: Used = field(default_factory=dict[tuple[ProjectId, Ordinal], int])  # for an explicit search
    narrowed: bool = False  # more was asked for than is granted; nothing is said of what lies there
