"""A sentence model that fits a test: words with rows of their own, synonyms with the same one, no layers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from unabridged.models import bert
from unabridged.models.installed import MANIFEST, MODEL, TOKENIZER

WIDTH = 64
SYNONYMS = (
    ("car", "automobile", "vehicle"),
    ("database", "postgresql", "storage"),
    ("choose", "settle", "settled", "pick"),
)
WORDS = (
    "giraffe",
    "tiger",
    "okapi",
    "the",
    "on",
    "we",
    "which",
    "did",
    "red",
    "garden",
    "secret",
    "weather",
    "fine",
)


def weights(seed: int = 1, words: int = 0, layers: int = 0, positions: int = 512) -> dict[str, np.ndarray]:
    """Return the arrays of an encoder: `words` rows of the table of words, so many layers."""
    dice = np.random.default_rng(seed)

    def some(*shape: int) -> np.ndarray:
        return dice.standard_normal(shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(words, WIDTH),
        "embeddings.position_embeddings.weight": some(positions, WIDTH) * 0.01,
        "embeddings.token_type_embeddings.weight": some(2, WIDTH) * 0.01,
        "embeddings.LayerNorm.weight": np.ones(WIDTH, np.float32),
        "embeddings.LayerNorm.bias": np.zeros(WIDTH, np.float32),
    }
    for number in range(layers):
        prefix = f"encoder.layer.{number}."
        for name, (rows, columns) in {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (2 * WIDTH, WIDTH),
            "output.dense": (WIDTH, 2 * WIDTH),
        }.items():
            found[f"{prefix}{name}.weight"] = some(rows, columns) / np.sqrt(columns)
            found[f"{prefix}{name}.bias"] = some(rows) * 0.1
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{prefix}{name}.weight"] = np.ones(WIDTH, np.float32) + some(WIDTH) * 0.1
            found[f"{prefix}{name}.bias"] = some(WIDTH) * 0.1
    return found


def tiny_model(folder: Path, seed: int = 1, words: Sequence[str] = WORDS) -> Path:
    """Write a model into a folder; another seed is another model."""
    folder.mkdir(parents=True, exist_ok=True)
    groups = (("[UNK]",), *SYNONYMS, *((word,) for word in words))
    vocabulary = {word: at for at, word in enumerate(word for group in groups for word in group)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / TOKENIZER))
    arrays = weights(seed, len(vocabulary))
    table = arrays["embeddings.word_embeddings.weight"]
    table[0] = 0.05  # what is unknown says little
    for group in groups:
        table[[vocabulary[word] for word in group]] = table[vocabulary[group[0]]]
    (folder / MODEL).write_bytes(bert.graph(arrays, bert.FP32))
    (folder / MANIFEST).write_text(json.dumps({"name": "tiny", "pooling": "mean"}))
    return folder
