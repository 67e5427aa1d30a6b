"""A cross-encoder that fits a test: the sum of what each word of question and passage is worth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from unabridged.models.installed import MODEL, TOKENIZER
from unabridged.models.onnxfile import FLOAT, INT64, Graph


def tiny_judge(folder: Path, worth: Mapping[str, float], classes: int = 1) -> Path:
    """Write a model into a folder; of several classes the last one counts."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: at for at, word in enumerate(["[UNK]", *worth])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / TOKENIZER))
    table = np.zeros((len(vocabulary), classes), np.float32)
    table[1:, -1] = list(worth.values())
    g = Graph("judge")
    mask = g.node(
        "Unsqueeze",
        g.node("Cast", "attention_mask", to=FLOAT),
        g.constant("last", np.array([2], np.int64)),
    )
    each = g.node("Mul", g.node("Gather", g.constant("worth", table), "input_ids"), mask)
    g.named("ReduceSum", "logits", each, g.constant("axis", np.array([1], np.int64)), keepdims=0)
    inputs = (("input_ids", INT64), ("attention_mask", INT64))
    (folder / MODEL).write_bytes(g.model(inputs, (("logits", ("batch", classes)),)))
    return folder
