"""Remembers which project a folder belongs to: to find that out walks the file system, then every project's roots."""

from __future__ import annotations

from collections.abc import Callable

from unabridged.archive.project import root_of
from unabridged.schema.ids import ProjectId

# An answer holds so long: a folder seldom becomes part of another working tree or project.
FRESH_SECONDS = 5.0
MOST = 256  # answers remembered; more are forgotten all at once


class Folders:
    """Roots by folder, projects by root. For any number of threads."""

    def __init__(self, *, apart: bool = False) -> None:
        """Know none. apart: a worktree of git is a project of its own."""
        self.apart = apart
        self._roots = dict[str, tuple[float, str]]()
        self._projects = dict[str, tuple[float, ProjectId]]()

    def root(self, folder: str, host: str, clock: float) -> str:
        """Return what `archive.project.root_of` says of a folder, at most 5 s old; `clock`: monotonic seconds."""
        known = self._roots.get(folder)
        if known is not None and clock - known[0] < FRESH_SECONDS:
            return known[1]
        root = root_of(folder, host, apart=self.apart)
        if len(self._roots) >= MOST:
            self._roots.clear()
        self._roots[folder] = (clock, root)
        return root

    def knows(self, folder: str, clock: float) -> bool:
        """Tell whether `root` answers for a folder at once, without a look at the file system."""
        known = self._roots.get(folder)
        return known is not None and clock - known[0] < FRESH_SECONDS

    def project(self, root: str, clock: float, find: Callable[[], ProjectId]) -> ProjectId:
        """Return the project at a root, at most 5 s old; `find` finds it."""
        known = self._projects.get(root)
        if known is not None and clock - known[0] < FRESH_SECONDS:
            return known[1]
        project = find()
        if len(self._projects) >= MOST:
            self._projects.clear()
        self._projects[root] = (clock, project)
        return project

    def forget(self) -> None:
        """Know none again: what projects are made of has changed."""
        self._roots.clear()
        self._projects.clear()
