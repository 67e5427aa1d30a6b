"""The floor: plain SQLite FTS5 over the same texts, any word of the question, stop words left out, bm25 order."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

_WORDS = (
    "a an the of to in on for and or is are was were be been do does did i me my you your it its that this these "
    "those with at by from as what which when where who how why have has had can could would should will not "
    "about we our they their there he she his her him them if than then so just any all more most some into out "
    "up down over also"
)
STOPWORDS = frozenset(_WORDS.split())


class Floor:
    """A table of texts, each with a key."""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        """Index (key, text)."""
        self._keys = [key for key, _ in texts]
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE found USING fts5(text, tokenize='porter unicode61')")
        self._database.executemany(
            "INSERT INTO found(rowid, text) VALUES (?, ?)", enumerate((text for _, text in texts), 1)
        )

    def top(self, question: str, k: int) -> list[str]:
        """Return the keys of the best k texts, best first."""
        words = [word for word in re.findall(r"\w+", question.lower()) if word not in STOPWORDS]
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        rows = self._database.execute(
            "SELECT rowid FROM found WHERE found MATCH ? ORDER BY bm25(found) LIMIT ?", (match, k)
        )
        return [self._keys[row[0] - 1] for row in rows]

    def close(self) -> None:
        """Let the table go."""
        self._database.close()
