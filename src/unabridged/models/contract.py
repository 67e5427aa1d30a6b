"""What an embedder is: the contract that local models, remote ones and the double keep.

An embedder turns texts into rows of unit length. It MUST give the same row for the same text whatever else is in the
batch (up to rounding), MUST NOT keep texts, and MUST raise `ModelError` or one of its kin, never something of its
library's own. It is used by one thread at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from unabridged.models.identity import Identity
from unabridged.models.onnxfile import Array


class Read(NamedTuple):
    """A text as a model reads it: its row, and where the model tells them, a row of unit length for each token.

    Only tokens that hold a letter or a digit are here; `places` are their character ranges in the text.
    """

    row: Array
    tokens: Array
    places: Sequence[tuple[int, int]]


class Embedder(Protocol):
    """A model of sentences."""

    @property
    def identity(self) -> Identity:
        """What its rows are rows of."""
        ...

    def embed(self, texts: Sequence[str]) -> Array:
        """Return a (texts, dimensions) array of float32, every row of unit length; an empty text gives some row."""
        ...

    def read(self, texts: Sequence[str]) -> list[Read]:
        """Return the row of each text, equal to that of `embed`, with those of its tokens."""
        ...

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens stand that the model counts in a text: character ranges (start, end) in order."""
        ...
