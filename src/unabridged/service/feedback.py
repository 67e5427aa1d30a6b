"""What is learnt from how answers are used: which passages that a search showed were then recalled.

It is counted for this installation alone, beside the archive and not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from unabridged.schema.ids import Micros, Ordinal, ProjectId

Place = tuple[ProjectId, Ordinal]  # of a message


class Feedback(Protocol):
    """The counts. Every method may be called from any thread."""

    def shown(self, places: Iterable[Place], now: Micros) -> None:
        """Learn that a search showed these messages."""
        ...

    def recalled(self, place: Place, now: Micros) -> None:
        """Learn that a message was recalled: it counts once for each time that it was shown lately."""
        ...

    def used(self) -> Mapping[Place, int]:
        """Return how often messages were recalled; what is returned does not change any more."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return whether it counts, and how much there is, as plain JSON values."""
        ...

    def clear(self) -> int:
        """Forget everything, on the disk too; return how many messages had a count."""
        ...


class NoFeedback:
    """Counts nothing."""

    def shown(self, places: Iterable[Place], now: Micros) -> None:
        """Do nothing."""

    def recalled(self, place: Place, now: Micros) -> None:
        """Do nothing."""

    def used(self) -> Mapping[Place, int]:
        """Return that nothing was recalled."""
        return {}

    def facts(self) -> dict[str, Any]:
        """Return that nothing is counted."""
        return {"on": False, "passages": 0, "recalls": 0}

    def clear(self) -> int:
        """Return that there was nothing."""
        return 0
