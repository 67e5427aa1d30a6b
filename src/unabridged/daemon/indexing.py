"""The search index of a daemon: follows the log through the index worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unabridged.errors import IndexError_
from unabridged.schema.ids import ProjectId
from unabridged.service.ports import Check, Progress


class NoIndex:
    """A daemon without an index: everything is archived, nothing is searchable, and it says so."""

    def status(self) -> dict[str, Any]:
        """Return that there is none."""
        return {"ok": False, "state": "absent"}

    def wait(self, positions: Mapping[ProjectId, int], check: Check) -> bool:
        """Return that nothing becomes searchable."""
        check()
        return not positions

    def rebuild(self, wait: bool, progress: Progress, check: Check) -> None:
        """Raise: there is nothing to rebuild."""
        del wait, progress, check
        raise IndexError_("this daemon runs without an index")

    def verify(self, progress: Progress, check: Check) -> dict[str, Any]:
        """Return that there is none."""
        del progress, check
        return self.status()
