"""Remembers which project's root a folder belongs to: to find that out walks the file system up to its root."""

from __future__ import annotations

from unabridged.archive.project import root_of

FRESH_SECONDS = 5.0  # for which an answer holds: a folder seldom becomes part of another working tree
MOST = 256  # folders remembered; more are forgotten all at once


class Folders:
    """Roots by folder. For any number of threads."""

    def __init__(self) -> None:
        """Know none."""
        self._roots = dict[str, tuple[float, str]]()

    def root(self, folder: str, host: str, clock: float) -> str:
        """Return what `archive.project.root_of` says of a folder, at most 5 s old; `clock`: monotonic seconds."""
        known = self._roots.get(folder)
        if known is not None and clock - known[0] < FRESH_SECONDS:
            return known[1]
        root = root_of(folder, host)
        if len(self._roots) >= MOST:
            self._roots.clear()
        self._roots[folder] = (clock, root)
        return root
