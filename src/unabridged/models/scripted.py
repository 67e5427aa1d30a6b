"""An embedder without a model: words hashed into a few dimensions. For tests, and wherever none is installed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from unabridged.models.contract import Read
from unabridged.models.identity import Identity
from unabridged.models.onnxfile import Array

DIMENSIONS = 64
_WORD = re.compile(r"\w+|[^\w\s]")


class ScriptedEmbedder:
    """Rows by words: texts that share words are near each other. `meanings` gives words the row of another word."""

    def __init__(
        self,
        meanings: Mapping[str, str] | None = None,
        revision: str = "1",
        before: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        """Take what words mean; `before` is called with every batch, and may raise."""
        self._meanings = dict(meanings or {})
        self._before = before
        self.identity = Identity("scripted", revision, DIMENSIONS, "mean")

    def embed(self, texts: Sequence[str]) -> Array:
        """Return unit rows."""
        if self._before is not None:
            self._before(texts)
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for at, text in enumerate(texts):
            for word in map(str, _WORD.findall(text)):
                rows[at] += self._signs(word)
            if not rows[at].any():
                rows[at, 0] = 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def read(self, texts: Sequence[str]) -> list[Read]:
        """Return rows with those of their words."""
        found = list[Read]()
        for text, row in zip(texts, self.embed(texts), strict=True):
            places = [match.span() for match in _WORD.finditer(text) if match[0].isalnum()]
            tokens = np.zeros((len(places), DIMENSIONS), np.float32)
            for at, (start, end) in enumerate(places):
                tokens[at] = self._signs(text[start:end]) / DIMENSIONS**0.5
            found.append(Read(row, tokens, places))
        return found

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """Return words and marks."""
        return [match.span() for match in _WORD.finditer(text)]

    def _signs(self, word: str) -> Array:
        known = word.casefold()
        digest = hashlib.blake2b(
            self._meanings.get(known, known).encode("utf-8", "surrogatepass"), digest_size=8
        ).digest()
        return np.unpackbits(np.frombuffer(digest, np.uint8)).astype(np.float32) * 2 - 1
