"""What asking needs besides the store: the index, the signing keys, the redactor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from unabridged.archive.resolve import Resolver, Unpacked
from unabridged.retrieve.asked import Finder
from unabridged.retrieve.context import Context, Meanings
from unabridged.retrieve.cues import check
from unabridged.retrieve.locator import Locators
from unabridged.retrieve.recent import Recent
from unabridged.schema.ids import Micros
from unabridged.schema.scope import Scope
from unabridged.store.contract import Reader


@dataclass(frozen=True, slots=True)
class Retrieval:
    """`finder` gives the index as it stands now, None while there is none; `redact` returns text and how many secrets
    it took out."""

    locators: Locators
    finder: Callable[[], Finder | None]
    redact: Callable[[str], tuple[str, int]]
    generation: Callable[[], int] = lambda: 0
    zone: tzinfo = UTC  # the user's
    recent: Recent | None = None  # takes what has just been admitted
    meanings: Meanings | None = None  # the vectors, where there are any
    unpacked: Unpacked = field(default_factory=Unpacked)
    cues: tuple[str, ...] = ()  # the user's own, of relations

    def __post_init__(self) -> None:
        """Raise `InvalidSetting` for a cue that is none."""
        check(self.cues)

    def context(self, reader: Reader, scope: Scope, now: Micros, cancelled: Callable[[], bool]) -> Context:
        """Return what one question is asked with."""
        return Context(
            reader,
            Resolver(reader, self.unpacked),
            scope,
            self.locators,
            now,
            self.redact,
            self.generation(),
            self.zone,
            self.meanings,
            cancelled,
            self.cues,
        )
