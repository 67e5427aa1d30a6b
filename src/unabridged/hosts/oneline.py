"""JSON text that takes one line."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = msgspec.json.Encoder().encode


def one_line(data: bytes) -> bytes:
    """Return JSON text as it is, or without line feeds where it is spread over lines; a string where it is no JSON."""
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
        return msgspec.json.format(data, indent=-1) if b"\n" in data or b"\r" in data else data
    except (msgspec.DecodeError, RecursionError):
        return _odd_line(data.decode("utf-8", "replace"))


def _odd_line(text: str) -> bytes:
    """Lone surrogates, which JavaScript writes as escapes, are JSON to the host."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return _encode(text)
    return as_json(found) if "\n" in text or "\r" in text else text.encode()


def as_json(value: Any, indent: int | None = None) -> bytes:
    """Return a value as JSON in the form that JavaScript gives it: lone surrogates as escapes, nothing else."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=None if indent else (",", ":"))
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()
