"""What every checker of invariants gets and gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from unabridged.schema.ids import ProjectId
from unabridged.store.contract import Reader


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken invariant: its name, the project, which record, and what is wrong (no content)."""

    invariant: str
    project: str
    subject: str
    detail: str


@dataclass(slots=True)
class Scan:
    """One project's check: the reader, whether to unpack and hash everything, and counts of what was looked at."""

    reader: Reader
    project: ProjectId
    deep: bool
    checked: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, name: str, by: int = 1) -> None:
        """Count records looked at."""
        self.checked[name] = self.checked.get(name, 0) + by

    def wrong(self, invariant: str, subject: object, detail: str) -> Violation:
        """Make a violation."""
        return Violation(invariant, self.project.hex(), str(subject), detail)
