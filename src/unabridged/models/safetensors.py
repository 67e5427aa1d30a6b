"""Reads the safetensors format: 8 bytes of length, a JSON table, the arrays one behind the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from unabridged.errors import ModelDamaged

MAX_TABLE = 16 << 20  # bytes; the table of a model of thousands of arrays is a tenth of it
_TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I8": "<i1", "U8": "<u1"}

Array = np.ndarray[Any, Any]


def read(data: bytes) -> dict[str, Array]:
    """Return the arrays by name, as views of `data`; raise `ModelDamaged` when it is not such a file."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(MAX_TABLE, len(data) - 8):
        raise ModelDamaged("the weights are not a safetensors file")
    body = memoryview(data)[8 + size :]
    try:
        table: Mapping[str, Any] = json.loads(data[8 : 8 + size])
        return {name: _array(body, entry) for name, entry in table.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelDamaged("the weights are not a safetensors file") from error


def _array(body: memoryview, entry: Mapping[str, Any]) -> Array:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= len(body):
        raise ValueError("an array lies outside of the file")
    return np.frombuffer(body[start:end], dtype=_TYPES[entry["dtype"]]).reshape(entry["shape"])
