"""How like a question the tokens of a span are: late interaction.

For each token of the question the most similar token of the span counts (MaxSim: Khattab and Zaharia, "ColBERT", 2020).
A span's tokens are known by the signs of their dimensions alone, the question's exactly; for unit vectors the product
of both estimates the cosine up to a constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.models.onnxfile import Array

MOST = 24_576  # tokens compared for one question: some milliseconds
ASKED = 64  # tokens of a question that are looked for
GRAMMAR = 0.2  # of the weight of a token that carries matter, what one that carries grammar has
_LEAST_SPREAD = 0.02


def words(text: str, places: Sequence[tuple[int, int]]) -> Array:
    """Return how much each token of a question weighs by its word alone."""
    found = [GRAMMAR if text[start:end].casefold() in STOPWORDS else 1.0 for start, end in places]
    return np.array(found, np.float32)


def places(firsts: Array, counts: Array) -> Array:
    """Return the numbers of the tokens of spans, one span behind the other; every count is above 0."""
    ends: Array = np.cumsum(counts)
    each = np.arange(int(ends[-1]))
    starts: Array = np.repeat(firsts - (ends - counts), counts)
    return each + starts


def likeness(question: Array, signs: Array, counts: Array) -> Array:
    """Return (spans, tokens of the question): how like each of these the most similar token of a span is.

    `question` is (tokens, dimensions), `signs` the packed signs of all spans' tokens, `counts` how many each span has.
    """
    bits = signs.shape[1] * 8
    asked = np.zeros((len(question), bits), np.float32)
    asked[:, : min(bits, question.shape[1])] = question[:, :bits]
    products = np.unpackbits(signs, axis=1).astype(np.float32) @ (2 * asked.T) - asked.sum(axis=1)
    starts = np.cumsum(counts) - counts
    found: Array = np.maximum.reduceat(products, starts, axis=0) / np.float32(bits**0.5)
    return found


def leads(found: Array, weights: Array) -> Array:
    """Return by how many standard deviations each span stands above the mean of them all, by all tokens together.

    A token counts in units of its own spread, so that no knowledge of the model or of how often a word is said is
    needed: what stands in every span, or in none, tells them apart by little.
    """
    each: Array = weights / np.maximum(found.std(axis=0), _LEAST_SPREAD)
    together: Array = found @ each
    spread = float(together.std())
    return (together - together.mean()) / spread if spread > 0 else np.zeros(len(found), np.float32)
