"""The graph that is written computes what the papers say, in both forms."""

from __future__ import annotations

from math import erf

import numpy as np
import onnxruntime
import pytest

from tests.support.tiny_model import weights
from unabridged.errors import ModelDamaged
from unabridged.models import bert, safetensors


def run(graph: bytes, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    found: np.ndarray = session.run([bert.OUTPUT], {bert.IDS: ids, bert.MASK: mask})[0]
    return found


def normal(values: np.ndarray, held: dict[str, np.ndarray], name: str) -> np.ndarray:
    centred = values - values.mean(-1, keepdims=True)
    return (
        centred / np.sqrt((centred**2).mean(-1, keepdims=True) + bert.EPSILON) * held[f"{name}.weight"]
        + held[f"{name}.bias"]
    )


def plain(held: dict[str, np.ndarray], ids: np.ndarray, layers: int) -> np.ndarray:
    """Return the row of one sentence, step by step."""

    def linear(values: np.ndarray, name: str) -> np.ndarray:
        return values @ held[f"{name}.weight"].T + held[f"{name}.bias"]

    hidden = held["embeddings.word_embeddings.weight"][ids]
    hidden = hidden + held["embeddings.position_embeddings.weight"][: len(ids)]
    hidden = normal(hidden + held["embeddings.token_type_embeddings.weight"][0], held, "embeddings.LayerNorm")
    for number in range(layers):
        prefix = f"encoder.layer.{number}."
        mixed = []
        for head in range(hidden.shape[1] // bert.HEAD):
            part = slice(head * bert.HEAD, (head + 1) * bert.HEAD)
            query, key, value = (
                linear(hidden, f"{prefix}attention.self.{name}")[:, part]
                for name in ("query", "key", "value")
            )
            scores = np.exp(query @ key.T / np.sqrt(bert.HEAD))
            mixed.append(scores / scores.sum(-1, keepdims=True) @ value)
        attended = linear(np.concatenate(mixed, axis=1), f"{prefix}attention.output.dense")
        hidden = normal(attended + hidden, held, f"{prefix}attention.output.LayerNorm")
        inner = linear(hidden, f"{prefix}intermediate.dense")
        inner = inner / 2 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        hidden = normal(linear(inner, f"{prefix}output.dense") + hidden, held, f"{prefix}output.LayerNorm")
    row = hidden.mean(axis=0)
    return row / np.linalg.norm(row)


def test_the_exact_form_is_the_encoder_of_the_paper() -> None:
    held = weights(3, words=50, layers=2)
    ids = np.array([[4, 8, 15, 16, 23, 42]], np.int64)
    found = run(bert.graph(held, bert.FP32), ids, np.ones_like(ids))
    assert np.abs(found[0] - plain(held, ids[0], 2)).max() < 1e-5


def test_the_rounded_form_points_the_same_way() -> None:
    held = weights(3, words=50, layers=2)
    ids = np.random.default_rng(7).integers(0, 50, (8, 12))
    exact = run(bert.graph(held, bert.FP32), ids, np.ones_like(ids))
    rounded = run(bert.graph(held, bert.INT8), ids, np.ones_like(ids))
    assert (exact * rounded).sum(axis=1).min() > 0.97


def test_padding_changes_nothing() -> None:
    held = weights(5, words=50, layers=1)
    graph = bert.graph(held, bert.FP32)
    alone = run(graph, np.array([[7, 9, 11]]), np.ones((1, 3), np.int64))
    beside = run(graph, np.array([[7, 9, 11, 0, 0]]), np.array([[1, 1, 1, 0, 0]]))
    assert np.abs(alone - beside).max() < 1e-6


def test_weights_that_lack_an_array_are_refused() -> None:
    held = weights(1, words=5, layers=1)
    del held["encoder.layer.0.output.dense.bias"]
    with pytest.raises(ModelDamaged):
        bert.graph(held, bert.INT8)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 8,
        (4).to_bytes(8, "little") + b"nope",
        (2).to_bytes(8, "little") + b"[]",
        (76).to_bytes(8, "little")
        + b'{"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 99999999999999]}}  ',
    ],
)
def test_what_is_no_file_of_weights_is_refused(data: bytes) -> None:
    with pytest.raises(ModelDamaged):
        safetensors.read(data)
