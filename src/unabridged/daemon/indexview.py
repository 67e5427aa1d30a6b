"""The index as searches see it: one opening, swapped together with how far it goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unabridged.index import generation
from unabridged.index.indexer import read_watermarks
from unabridged.index.lexical import LexicalIndex
from unabridged.retrieve.finder import IndexFinder
from unabridged.retrieve.recent import Recent


@dataclass(frozen=True, slots=True)
class View:
    """One state of the index, as searches use it."""

    finder: IndexFinder
    generation: int
    windows: int
    segments: int


class Shelf:
    """Holds the view in use. One thread loads, any number of them look."""

    def __init__(self, root: Path) -> None:
        """Serve generations below `root`; nothing is in use yet."""
        self._root = root
        self._opened: LexicalIndex | None = None
        self.view: View | None = None
        self.recent = Recent()

    def finder(self) -> IndexFinder | None:
        """Return the index as it stands, None while there is none."""
        view = self.view
        return view.finder if view is not None else None

    def generation(self) -> int:
        """Return the number of the generation in use, 0 while there is none."""
        view = self.view
        return view.generation if view is not None else 0

    def load(self, number: int) -> None:
        """Use what the writer of a generation has committed; raises what opening an index raises."""
        opened = self._opened
        if opened is None or self.view is None or self.view.generation != number:
            opened = LexicalIndex.open(generation.folder(self._root, number))
        else:
            opened.reload()
        positions = {project: at for project, (at, _) in read_watermarks(opened.payload).items()}
        finder = IndexFinder(opened, positions, self.recent)
        if self.view is not None:
            self.view.finder.keep()  # for a search that uses it still
        self._opened, self.view = opened, View(finder, number, opened.count(), opened.segments)
        for project, position in positions.items():
            self.recent.drop_through(project, position)
