"""A cross-encoder: a model that reads a question and a passage together and says how well one answers the other.

Nogueira and Cho, "Passage Re-ranking with BERT", 2019. A folder holds it as it holds a sentence model: `model.onnx`,
which takes `input_ids` and `attention_mask` (and `token_type_ids`, if it wants them) and gives one number a pair, or
one a class of which the last is "relevant", and the `tokenizer.json` that joins pairs as the model was trained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unabridged.errors import ModelDamaged, ModelMissing
from unabridged.models import local
from unabridged.models.installed import MODEL, TOKENIZER
from unabridged.models.onnxfile import Array

LONGEST = 256  # tokens of a pair
QUESTION_CHARS = 500  # of a question, so that something is left for the passage
PASSAGE_CHARS = 2_000
BATCH = 4  # pairs of one run, behind which the time is looked at


class CrossEncoder:
    """One loaded model. For one thread."""

    def __init__(self, folder: Path) -> None:
        """Load the model of a folder; raise `ModelMissing` or `ModelDamaged`."""
        for name in (MODEL, TOKENIZER):
            if not (folder / name).is_file():
                raise ModelMissing(f"there is no {name} in the model's folder", folder=str(folder))
        self._tokenizer = local.tokenizer(folder / TOKENIZER)
        self._tokenizer.enable_truncation(LONGEST)
        self._session = local.session(folder / MODEL, 1)
        self._inputs = {found.name for found in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name
        self._run("question", ["passage"])

    def scores(
        self, question: str, passages: Sequence[str], seconds: float, clock: Callable[[], float]
    ) -> list[float]:
        """Return how well passages answer a question, the higher the better, for as many as `seconds` suffice."""
        deadline, found = clock() + seconds, list[float]()
        question = local.sound(question[:QUESTION_CHARS])
        while len(found) < len(passages) and clock() < deadline:
            some = passages[len(found) : len(found) + BATCH]
            found += self._run(question, [local.sound(passage[:PASSAGE_CHARS]) for passage in some])
        return found

    def _run(self, question: str, passages: Sequence[str]) -> list[float]:
        coded = self._tokenizer.encode_batch([(question, passage) for passage in passages])
        length = max(1, *(len(one.ids) for one in coded))
        given = {name: np.zeros((len(coded), length), np.int64) for name in local.INPUTS}
        for at, one in enumerate(coded):
            for name, row in zip(local.INPUTS, (one.ids, one.attention_mask, one.type_ids), strict=True):
                given[name][at, : len(row)] = row
        try:
            out: Array = self._session.run(
                [self._output], {name: value for name, value in given.items() if name in self._inputs}
            )[0]
        except Exception as error:  # the runtime raises types of its own, one a kind of fault
            raise ModelDamaged("the model cannot be run", why=type(error).__name__) from error
        if out.shape[:1] != (len(coded),) or out.ndim > 2 or not np.isfinite(out).all():
            raise ModelDamaged("the model gives no number a pair")
        last: Any = out if out.ndim == 1 else out[:, -1]
        return [float(value) for value in last]
