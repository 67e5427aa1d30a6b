"""Writes ONNX models: just enough of the format to state a graph.

An ONNX file is one Protocol Buffers message (`onnx/onnx.proto` of the ONNX project, IR version 8). Fields are written
by their numbers there, so that building a graph needs no package beside numpy.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

IR_VERSION, OPSET = 8, 17
FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7  # TensorProto.DataType
_TYPES: Mapping[str, int] = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32, "int64": INT64}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7  # AttributeProto.AttributeType
_MASK = (1 << 64) - 1

Array = np.ndarray[Any, Any]
Attribute = int | float | Sequence[int]


class Graph:
    """A graph as it grows: every call that adds something returns the name that later nodes use."""

    def __init__(self, name: str) -> None:
        """Begin an empty graph."""
        self._name = name
        self._nodes = list[bytes]()
        self._constants = dict[str, bytes]()
        self._count = 0

    def constant(self, name: str, values: Array) -> str:
        """Add an array; the same name again gives the one that is there."""
        if name not in self._constants:
            self._constants[name] = _tensor(name, np.ascontiguousarray(values))
        return name

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes: Attribute) -> str:
        """Add a node and return its first output; the others have the same name with `.1`, `.2` behind it."""
        self._count += 1
        first = f"{op}_{self._count}"
        names = [first, *(f"{first}.{at}" for at in range(1, outputs))]
        self._nodes.append(_node(op, inputs, names, attributes))
        return first

    def named(self, op: str, output: str, *inputs: str, **attributes: Attribute) -> None:
        """Add a node whose output the model gives under that name."""
        self._nodes.append(_node(op, inputs, [output], attributes))

    def model(
        self, inputs: Sequence[tuple[str, int]], outputs: Sequence[tuple[str, Sequence[str | int]]]
    ) -> bytes:
        """Return the file: `inputs` are (name, type) of two dimensions, `outputs` are (name, shape) of floats."""
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _bytes(2, self._name.encode())
        graph += b"".join(_bytes(5, tensor) for tensor in self._constants.values())
        for name, kind in inputs:
            graph += _bytes(11, _value(name, kind, ("batch", "length")))
        for name, shape in outputs:
            graph += _bytes(12, _value(name, FLOAT, shape))
        opset = _bytes(8, _bytes(1, b"") + _number(2, OPSET))
        return _number(1, IR_VERSION) + _bytes(2, b"unabridged") + _bytes(7, graph) + opset


def _varint(value: int) -> bytes:
    value &= _MASK  # a negative number is written as its 64-bit two's complement
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _packed(field: int, values: Iterable[int]) -> bytes:
    return _bytes(field, b"".join(_varint(value) for value in values))


def _tensor(name: str, values: Array) -> bytes:
    kind = _TYPES[values.dtype.name]
    data = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    return _packed(1, values.shape) + _number(2, kind) + _bytes(8, name.encode()) + _bytes(9, data)


def _node(
    op: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Attribute]
) -> bytes:
    out = b"".join(_bytes(1, name.encode()) for name in inputs)
    out += b"".join(_bytes(2, name.encode()) for name in outputs)
    out += _bytes(3, outputs[0].encode()) + _bytes(4, op.encode())
    return out + b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())


def _attribute(name: str, value: Attribute) -> bytes:
    out = _bytes(1, name.encode())
    if isinstance(value, float):
        return out + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _ATTRIBUTE_FLOAT)
    if isinstance(value, int):
        return out + _number(3, value) + _number(20, _ATTRIBUTE_INT)
    return out + _packed(8, value) + _number(20, _ATTRIBUTE_INTS)


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    dims = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size.encode())) for size in shape
    )
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, dims)))
