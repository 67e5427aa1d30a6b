"""May this caller see that record?

Scopes are nested: session, project, all. What a caller gets is the smaller of what it asks for and what the user's own
configuration grants; nothing from a repository takes part in the decision.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from unabridged.schema.ids import GLOBAL, NO_SESSION, ProjectId, SessionId


class Level(enum.IntEnum):
    """How far a caller sees; a larger value contains the smaller ones."""

    SESSION = 1
    PROJECT = 2
    ALL = 3


@dataclass(frozen=True, slots=True)
class Scope:
    """What one caller may see: a level and the project and session that it is at (zero ids where it is at none)."""

    level: Level
    project: ProjectId = GLOBAL
    session: SessionId = NO_SESSION
    linked: frozenset[ProjectId] = frozenset()

    def allows(self, project: ProjectId, session: SessionId | None = None) -> bool:
        """Tell whether a record of `project` (and `session`, where it belongs to one) is inside this scope."""
        if self.level is Level.ALL:
            return True
        if self.level is Level.PROJECT:
            return project == self.project or project in self.linked
        return project == self.project and session is not None and session == self.session

    @property
    def only(self) -> SessionId | None:
        """The one session that may be seen, so that nothing else need be looked at or counted; None: more may."""
        return self.session if self.level is Level.SESSION else None

    def narrowed(self, level: Level) -> Scope:
        """Return the scope at the smaller of this level and the one asked for."""
        return Scope(min(self.level, level), self.project, self.session, self.linked)
