"""The graph of a BERT sentence encoder with mean pooling, from its weights.

BERT: Devlin et al. 2019; sentence vectors by the mean over tokens: Reimers and Gurevych 2019. In the int8 form every
matrix of weights is rounded per output column, symmetrically, to 7 bits, and activations are rounded as they come
(DynamicQuantizeLinear): with 8 bits the products of two neighbours would overflow the 16 bits that processors without
VNNI add them in. The table of words is rounded per word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unabridged.errors import ModelDamaged
from unabridged.models.onnxfile import FLOAT, INT64, Array, Graph

FP32, INT8 = "fp32", "int8"
FORMS = (INT8, FP32)
IDS, MASK, OUTPUT, TOKENS = "input_ids", "attention_mask", "sentence_embedding", "token_embeddings"
HEAD = 32  # columns of one attention head
EPSILON = 1e-12  # of layer normalisation
MASKED = -1e9  # added to the score of padding
_WEIGHT_MOST = 63  # 7 bits, symmetric
_WORD_MOST = 127
_TINY = 1e-12


def graph(weights: Mapping[str, Array], form: str) -> bytes:
    """Return the ONNX file of the encoder; raise `ModelDamaged` when an array is missing."""
    try:
        return _Encoder(weights, form).build()
    except (KeyError, ValueError) as error:
        raise ModelDamaged("the weights are not those of a sentence encoder") from error


class _Encoder:
    def __init__(self, weights: Mapping[str, Array], form: str) -> None:
        self._weights = {name: values.astype(np.float32, copy=False) for name, values in weights.items()}
        self._form = form
        self._graph = Graph("sentence-encoder")
        self._width = int(weights["embeddings.word_embeddings.weight"].shape[1])
        self._heads = self._width // HEAD

    def build(self) -> bytes:
        g = self._graph
        mask = g.node("Cast", MASK, to=FLOAT)
        hidden = self._embedded()
        bias = self._bias(mask)
        layers = {name.split(".")[2] for name in self._weights if name.startswith("encoder.layer.")}
        for number in range(len(layers)):
            hidden = self._layer(f"encoder.layer.{number}.", hidden, bias)
        self._pool(hidden, mask)
        g.named("Identity", TOKENS, hidden)
        outputs = ((OUTPUT, ("batch", self._width)), (TOKENS, ("batch", "length", self._width)))
        return g.model(((IDS, INT64), (MASK, INT64)), outputs)

    def _embedded(self) -> str:
        g = self._graph
        words = self._weights["embeddings.word_embeddings.weight"]
        if self._form == INT8:
            rounded, scale = _rounded(words, _WORD_MOST, axis=1)
            looked = g.node("Cast", g.node("Gather", g.constant("words", rounded), IDS), to=FLOAT)
            looked = g.node("Mul", looked, g.node("Gather", g.constant("words.scale", scale), IDS))
        else:
            looked = g.node("Gather", g.constant("words", words), IDS)
        # A position's row, and the type that all tokens of a single sentence have.
        places = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        shape = g.node("Shape", IDS)
        length = g.node("Slice", shape, self._numbers("one", 1), self._numbers("two", 2))
        row = g.node("Slice", g.constant("places", places), self._numbers("zero", 0), length)
        return self._normal(g.node("Add", looked, row), "embeddings.LayerNorm")

    def _bias(self, mask: str) -> str:
        g = self._graph
        padding = g.node("Sub", self._float("1", 1.0), mask)
        return g.node(
            "Unsqueeze", g.node("Mul", padding, self._float("masked", MASKED)), self._numbers("axes", 1, 2)
        )

    def _layer(self, prefix: str, hidden: str, bias: str) -> str:
        g = self._graph
        source = self._source(hidden)
        parts = dict[str, str]()
        for name in ("query", "key", "value"):
            flat = self._linear(source, f"{prefix}attention.self.{name}")
            split = g.node("Reshape", flat, self._numbers("heads", 0, 0, self._heads, HEAD))
            order = [0, 2, 3, 1] if name == "key" else [0, 2, 1, 3]
            parts[name] = g.node("Transpose", split, perm=order)
        scores = g.node("MatMul", parts["query"], parts["key"])
        scores = g.node("Add", g.node("Mul", scores, self._float("scale", HEAD**-0.5)), bias)
        mixed = g.node("MatMul", g.node("Softmax", scores, axis=-1), parts["value"])
        joined = g.node("Transpose", mixed, perm=[0, 2, 1, 3])
        joined = g.node("Reshape", joined, self._numbers("joined", 0, 0, self._width))
        attended = self._linear(self._source(joined), f"{prefix}attention.output.dense")
        hidden = self._normal(g.node("Add", attended, hidden), f"{prefix}attention.output.LayerNorm")
        inner = self._gelu(self._linear(self._source(hidden), f"{prefix}intermediate.dense"))
        outer = self._linear(self._source(inner), f"{prefix}output.dense")
        return self._normal(g.node("Add", outer, hidden), f"{prefix}output.LayerNorm")

    def _source(self, values: str) -> tuple[str, ...]:
        """Return what a product takes of values: themselves, or rounded with their scale and zero."""
        if self._form != INT8:
            return (values,)
        first = self._graph.node("DynamicQuantizeLinear", values, outputs=3)
        return (first, f"{first}.1", f"{first}.2")

    def _linear(self, source: tuple[str, ...], name: str) -> str:
        g = self._graph
        matrix, bias = self._weights[f"{name}.weight"].T, self._weights[f"{name}.bias"]
        if self._form != INT8:
            product = g.node("MatMul", source[0], g.constant(f"{name}.weight", matrix))
        else:
            rounded, scale = _rounded(matrix, _WEIGHT_MOST, axis=0)
            values, step, zero = source
            nought = g.constant("nought", np.zeros((), np.int8))
            product = g.node("MatMulInteger", values, g.constant(f"{name}.weight", rounded), zero, nought)
            steps = g.node("Mul", step, g.constant(f"{name}.scale", scale.reshape(-1)))
            product = g.node("Mul", g.node("Cast", product, to=FLOAT), steps)
        return g.node("Add", product, g.constant(f"{name}.bias", bias))

    def _gelu(self, values: str) -> str:
        """x / 2 · (1 + erf(x / √2)), Hendrycks and Gimpel 2016."""
        g = self._graph
        curve = g.node("Erf", g.node("Div", values, self._float("root two", 2.0**0.5)))
        return g.node(
            "Mul",
            g.node("Mul", values, g.node("Add", curve, self._float("1", 1.0))),
            self._float("half", 0.5),
        )

    def _normal(self, values: str, name: str) -> str:
        g = self._graph
        gain = g.constant(f"{name}.weight", self._weights[f"{name}.weight"])
        shift = g.constant(f"{name}.bias", self._weights[f"{name}.bias"])
        return g.node("LayerNormalization", values, gain, shift, axis=-1, epsilon=EPSILON)

    def _pool(self, hidden: str, mask: str) -> None:
        g = self._graph
        wide = g.node("Unsqueeze", mask, self._numbers("last", 2))
        summed = g.node("ReduceSum", g.node("Mul", hidden, wide), self._numbers("one", 1), keepdims=0)
        counted = g.node("ReduceSum", wide, self._numbers("one", 1), keepdims=0)
        g.named("LpNormalization", OUTPUT, g.node("Div", summed, counted), axis=-1, p=2)

    def _numbers(self, name: str, *values: int) -> str:
        return self._graph.constant(name, np.array(values, np.int64))

    def _float(self, name: str, value: float) -> str:
        return self._graph.constant(f"number {name}", np.array(value, np.float32))


def _rounded(values: Array, most: int, *, axis: int) -> tuple[Array, Array]:
    """Return values as whole numbers up to `most`, and what each row or column must be multiplied by."""
    scale: Any = np.maximum(np.abs(values).max(axis=axis, keepdims=True) / most, _TINY).astype(np.float32)
    return np.rint(values / scale).clip(-most, most).astype(np.int8), scale
