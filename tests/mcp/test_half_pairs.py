"""What half a pair of surrogates in a message costs: itself."""

from __future__ import annotations

import json

import pytest

from unabridged.mcp.pipe import _paired  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        (rb'["x"]', rb'["x"]'),
        (rb'["\ud800 x"]', rb'["\ufffd x"]'),
        (rb'["\udc00\uD800"]', rb'["\ufffd\ufffd"]'),
        (rb'["\ud83d\ude00"]', rb'["\ud83d\ude00"]'),
        (rb'["\ud83d\ud83d\ude00"]', rb'["\ufffd\ud83d\ude00"]'),
        (rb'["\\ud800"]', rb'["\\ud800"]'),
        (rb'["\\\ud800"]', rb'["\\\ufffd"]'),
        (rb'["\ud8', rb'["\ud8'),
    ],
)
def test_half_a_pair_becomes_the_replacement_character(line: bytes, whole: bytes) -> None:
    assert _paired(line) == whole
    if line.endswith(b"]"):
        json.dumps(json.loads(_paired(line)), ensure_ascii=False).encode()
