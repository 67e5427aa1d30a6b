"""A sentence model on this machine: an ONNX file beside a tokenizer, run by onnxruntime on the processor.

A folder with a model holds `model.onnx` and `tokenizer.json`; `model.json` says what cannot be read from these (name,
pooling). The model takes `input_ids` and `attention_mask` (and `token_type_ids`, if it wants them) and gives either
rows or one row a token, of which the mean over the text's tokens is taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unabridged.errors import ModelDamaged, ModelMissing
from unabridged.models.identity import Identity
from unabridged.models.installed import MANIFEST, MODEL, TOKENIZER, manifest
from unabridged.models.onnxfile import Array

LONGEST = 256  # tokens of one text that are looked at; spans are shorter
BATCH_TOKENS = (
    2_048  # of one run with its padding: bounds the memory of a run, and how long it cannot be left
)
_READ = 1 << 20  # bytes digested at a time


class LocalEmbedder:
    """One loaded model."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Load the model of a folder; raise `ModelMissing` or `ModelDamaged`. `threads` is what a run may take."""
        for name in (MODEL, TOKENIZER):
            if not (folder / name).is_file():
                raise ModelMissing(f"there is no {name} in the model's folder", folder=str(folder))
        self._tokenizer = _tokenizer(folder / TOKENIZER)
        self._session = _session(folder / MODEL, threads)
        self._inputs = {found.name for found in self._session.get_inputs()}
        said = manifest(folder / MANIFEST)
        self._output = self._session.get_outputs()[0].name
        width = int(self.embed(["width"]).shape[1])
        revision = _digest(folder / MODEL, folder / TOKENIZER)[:16]
        self.identity = Identity(
            said.get("name") or folder.name, revision, width, said.get("pooling") or "mean"
        )

    def embed(self, texts: Sequence[str]) -> Array:
        """Return unit rows; texts of like length are run together."""
        if not texts:
            return np.zeros((0, self.identity.dimensions), np.float32)
        coded = [
            coded.ids[:LONGEST] or [0]
            for coded in self._tokenizer.encode_batch_fast(list(map(_sound, texts)))
        ]
        order = sorted(range(len(coded)), key=lambda at: len(coded[at]))
        rows = list[Array]()
        start = 0
        while start < len(order):
            count = 1
            while (
                start + count < len(order) and len(coded[order[start + count]]) * (count + 1) <= BATCH_TOKENS
            ):
                count += 1
            rows.append(self._run([coded[at] for at in order[start : start + count]]))
            start += count
        joined = np.concatenate(rows)
        found = np.empty_like(joined)
        found[order] = joined
        return found

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokenizer's tokens stand."""
        found: list[tuple[int, int]] = self._tokenizer.encode(_sound(text), add_special_tokens=False).offsets
        return found

    def _run(self, coded: Sequence[Sequence[int]]) -> Array:
        length = max(map(len, coded))
        ids = np.zeros((len(coded), length), np.int64)
        mask = np.zeros((len(coded), length), np.int64)
        for at, row in enumerate(coded):
            ids[at, : len(row)], mask[at, : len(row)] = row, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            out: Array = self._session.run(
                [self._output], {name: value for name, value in given.items() if name in self._inputs}
            )[0]
        except Exception as error:  # the runtime raises types of its own, one a kind of fault
            raise ModelDamaged("the model cannot be run", why=type(error).__name__) from error
        if out.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            out = (out * weights).sum(axis=1) / weights.sum(axis=1)
        if out.ndim != 2 or not np.isfinite(out).all():
            raise ModelDamaged("the model gives no rows of numbers")
        norms: Any = np.linalg.norm(out, axis=1, keepdims=True)
        return (out / np.maximum(norms, 1e-12)).astype(np.float32)


def _sound(text: str) -> str:
    """Return a text as long, without halves of characters, which the tokenizer refuses."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 - of the extra `semantic`

    try:
        found = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare `Exception`
        raise ModelDamaged("the tokenizer cannot be read", path=str(path)) from error
    found.no_padding()
    found.no_truncation()
    return found


def _session(path: Path, threads: int) -> Any:
    import onnxruntime  # pyright: ignore[reportMissingTypeStubs]  # noqa: PLC0415 - of the extra `semantic`

    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises types of its own, one a kind of fault
        raise ModelDamaged("the model cannot be loaded", path=str(path)) from error


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while data := file.read(_READ):
                digest.update(data)
    return digest.hexdigest()
