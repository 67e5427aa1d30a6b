"""A sentence model on this machine: an ONNX file beside a tokenizer, run by onnxruntime on the processor.

A folder with a model holds `model.onnx` and `tokenizer.json`; `model.json` says what cannot be read from these (name,
pooling). The model takes `input_ids` and `attention_mask` (and `token_type_ids`, if it wants them). Its first output is
rows, or one row a token, of which the mean over the text's tokens is taken (or the first: `"pooling": "cls"`). Where an
output has one row a token, tokens are compared, too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unabridged.errors import ModelDamaged, ModelMissing
from unabridged.models.contract import Read
from unabridged.models.identity import Identity
from unabridged.models.installed import MANIFEST, MODEL, TOKENIZER, manifest
from unabridged.models.onnxfile import Array

LONGEST = 256  # tokens of one text that are looked at; spans are shorter
BATCH_TOKENS = (
    2_048  # of one run with its padding: bounds the memory of a run, and how long it cannot be left
)
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MEAN, CLS = "mean", "cls"  # how tokens become one row
POOLINGS = (MEAN, CLS)
_TELLING = re.compile(r"\w")
_READ = 1 << 20  # bytes digested at a time


class LocalEmbedder:
    """One loaded model."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Load the model of a folder; raise `ModelMissing` or `ModelDamaged`. `threads` is what a run may take."""
        for name in (MODEL, TOKENIZER):
            if not (folder / name).is_file():
                raise ModelMissing(f"there is no {name} in the model's folder", folder=str(folder))
        self._tokenizer = tokenizer(folder / TOKENIZER)
        self._session = session(folder / MODEL, threads)
        self._inputs = {found.name for found in self._session.get_inputs()}
        said = manifest(folder / MANIFEST)
        pooling = said.get("pooling") or MEAN
        if pooling not in POOLINGS:
            raise ModelDamaged(
                f"`pooling` of {MANIFEST} must be one of: {', '.join(POOLINGS)}", said=pooling[:80]
            )
        self._first = pooling == CLS
        self._outputs = _outputs(self._session)
        self.identity = Identity("", "", 0, "")
        width = int(self.embed(["width"]).shape[1])
        revision = _digest(folder / MODEL, folder / TOKENIZER)[:16]
        self.identity = Identity(said.get("name") or folder.name, revision, width, pooling)

    def embed(self, texts: Sequence[str]) -> Array:
        """Return unit rows; texts of like length are run together."""
        found = [row for row, _ in self._each([coded.ids for coded in self._coded(texts)])]
        return np.stack(found) if found else np.zeros((0, self.identity.dimensions), np.float32)

    def read(self, texts: Sequence[str]) -> list[Read]:
        """Return rows with those of their tokens, none where the model tells only one row a text."""
        coded = self._coded(texts)
        found = list[Read]()
        for text, one, (row, tokens) in zip(
            map(sound, texts), coded, self._each([one.ids for one in coded]), strict=True
        ):
            kept = list[tuple[int, tuple[int, int]]]()
            if tokens is not None:
                kept = [
                    (at, (start, end))
                    for at, (start, end) in enumerate(one.offsets[: len(tokens)])
                    if end > start and _TELLING.search(text, start, end)
                ]
            some = tokens[[at for at, _ in kept]] if tokens is not None and kept else np.zeros((0, len(row)))
            found.append(Read(row, _unit(some), [place for _, place in kept]))
        return found

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokenizer's tokens stand."""
        found: list[tuple[int, int]] = self._tokenizer.encode(sound(text), add_special_tokens=False).offsets
        return found

    def _coded(self, texts: Sequence[str]) -> list[Any]:
        return self._tokenizer.encode_batch(list(map(sound, texts))) if texts else []

    def _each(self, coded: Sequence[Sequence[int]]) -> list[tuple[Array, Array | None]]:
        """Return the row of each text and those of its tokens, if the model tells them."""
        ids = [list(one[:LONGEST]) or [0] for one in coded]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        found = dict[int, tuple[Array, Array | None]]()
        start = 0
        while start < len(order):
            count = 1
            while start + count < len(order) and len(ids[order[start + count]]) * (count + 1) <= BATCH_TOKENS:
                count += 1
            some = order[start : start + count]
            rows, tokens = self._run([ids[at] for at in some])
            for place, at in enumerate(some):
                found[at] = rows[place], None if tokens is None else tokens[place, : len(ids[at])]
            start += count
        return [found[at] for at in range(len(ids))]

    def _run(self, coded: Sequence[Sequence[int]]) -> tuple[Array, Array | None]:
        length = max(map(len, coded))
        ids = np.zeros((len(coded), length), np.int64)
        mask = np.zeros((len(coded), length), np.int64)
        for at, row in enumerate(coded):
            ids[at, : len(row)], mask[at, : len(row)] = row, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            outs: list[Array] = self._session.run(
                self._outputs, {name: value for name, value in given.items() if name in self._inputs}
            )
        except Exception as error:  # the runtime raises types of its own, one a kind of fault
            raise ModelDamaged("the model cannot be run", why=type(error).__name__) from error
        out, tokens = outs[0], next((found for found in outs if found.ndim == 3), None)
        if out.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            out = out[:, 0] if self._first else (out * weights).sum(axis=1) / weights.sum(axis=1)
        if out.ndim != 2 or len(out) != len(coded) or not out.shape[1] or not np.isfinite(out).all():
            raise ModelDamaged("the model gives no rows of numbers")
        if tokens is not None and (tokens.shape[:2] != ids.shape or not np.isfinite(tokens).all()):
            raise ModelDamaged("the model gives no rows of tokens")
        return _unit(out), tokens


def _outputs(session: Any) -> list[str]:
    """Return the names of what is taken: the first output, and the first of one row a token if that is another."""
    found = [(str(output.name), len(output.shape or ())) for output in session.get_outputs()]
    tokens = [name for name, axes in found if axes == 3]
    return list(dict.fromkeys([found[0][0], *tokens[:1]]))


def _unit(rows: Array) -> Array:
    norms: Any = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.maximum(norms, 1e-12)).astype(np.float32)


def sound(text: str) -> str:
    """Return a text as long, without halves of characters, which the tokenizer refuses."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def tokenizer(path: Path) -> Any:
    """Return the tokenizer of a file; raise `ModelDamaged`."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - of the extra `semantic`

    try:
        found = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare `Exception`
        raise ModelDamaged("the tokenizer cannot be read", path=str(path)) from error
    found.no_padding()
    found.no_truncation()
    return found


def session(path: Path, threads: int) -> Any:
    """Return the model of a file, ready to run; raise `ModelDamaged`."""
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
