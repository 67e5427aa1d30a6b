"""JSON for clients, from the interpreter's C scanner alone: importing `json` costs more than a whole request.

Falls back to `json` where the interpreter has no such scanner.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    import _json as fast

    json: Any = None
except ImportError:  # another interpreter
    import json

    fast = None


class _Context:
    """What the C scanner asks of a decoder."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float  # NaN, Infinity, -Infinity


_scan: Any = fast.make_scanner(_Context()) if fast is not None else None  # pyright: ignore[reportArgumentType]
_quoted: Any = fast.encode_basestring_ascii if fast is not None else None


def loads(text: str) -> Any:
    """Return the value of one JSON document; raise ValueError."""
    if _scan is None:
        return json.loads(text)
    text = text.strip()
    try:
        value, end = _scan(text, 0)
    except (StopIteration, SystemError) as error:  # the second: the error that it would raise is in `json`
        raise ValueError("not JSON") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def dumps(value: Any) -> str:
    """Return compact JSON of plain values: dict with text keys, list, tuple, str, int, finite float, bool, None."""
    return json.dumps(value, separators=(",", ":")) if _quoted is None else _dumps(value)


def _dumps(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError("JSON has no such number")
        return repr(value)
    if isinstance(value, dict):
        items: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return "{" + ",".join([f"{_quoted(key)}:{_dumps(item)}" for key, item in items.items()]) + "}"
    if isinstance(value, list | tuple):
        parts: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        return "[" + ",".join([_dumps(item) for item in parts]) + "]"
    raise TypeError(f"{type(value).__name__} is no JSON value")
