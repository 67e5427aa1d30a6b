"""A lexical index of given texts, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unabridged.index.analysis.query import plan_query
from unabridged.index.layout import LexicalDoc
from unabridged.index.lexical import LexicalIndex
from unabridged.index.searching import LexicalHit
from unabridged.index.windows import windows

PROJECT, OTHER_PROJECT = bytes(range(16)), bytes(range(16, 32))
SESSION = bytes(range(32, 48))
HEAP = 15_000_000  # bytes, the least that the engine takes


def docs_of(text: str, ordinal: int, project: bytes = PROJECT, **fields: object) -> list[LexicalDoc]:
    """Return the windows of an event's text, with the byte offsets that the archive counts in."""
    made = list[LexicalDoc]()
    for number, (start, end) in enumerate(windows(text).ranges):
        first = len(text[:start].encode("utf-8", "replace"))
        part = text[start:end]
        last = first + len(part.encode("utf-8", "replace"))
        made.append(LexicalDoc(project, SESSION, ordinal, number, first, last, part, **fields))  # type: ignore[arg-type]
    return made


class Shelf:
    """An index of texts by their ordinals (from 1), with the texts at hand."""

    def __init__(self, path: Path, texts: Sequence[str]) -> None:
        self.texts = dict(enumerate(texts, 1))
        self.index = LexicalIndex.open(path, True, HEAP)
        for ordinal, text in self.texts.items():
            self.index.add(docs_of(text, ordinal))
        self.index.commit("filled")

    def text_of(self, hit: LexicalHit) -> str:
        return self.texts[hit.ordinal].encode()[hit.start : hit.end].decode()

    def find(self, query: str, limit: int = 3) -> list[int]:
        """Return the ordinals of the best hits."""
        return [hit.ordinal for hit in self.index.search(plan_query(query), limit=limit)]
