"""What the object of an answer looks like, as JSON Schema: for programs, which check it; no model reads it.

Nothing is required, since an error is an object too, and more fields may come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unabridged.hosts.calls import OWN_KEY

Schema = Mapping[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer"}
_TRUTH: Schema = {"type": "boolean"}


def _object(**properties: Schema) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _texts(*names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, _TEXT)


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


_ERROR = _object(**_texts("code", "message", "hint"), retryable=_TRUTH, details=_object())
_HIT = _object(
    **_texts(
        *("handle", "time", "role", "kind", "tool", "band", "host", "session", "superseded", "snippet"),
        "replaced_by",
    ),
    tokens=_COUNT,
    similar=_COUNT,
)
_HITS = {"label": _TEXT, **_texts("status", "next"), "hits": _list(_HIT), "notes": _list(_TEXT)}
_PIECE = _object(
    **_texts("handle", "time", "role", "kind", "tool", "session", "replaced_by", "text"),
    hit=_TRUTH,
    omitted=_COUNT,
)
_KEPT = {**_texts("handle", "document", "event"), "version": _COUNT, "replayed": _TRUTH}
_CONFLICT = _object(**_texts("later", "earlier", "by", "shared", "cue"))

# The fields of each operation's object, by its name.
SHAPES: Mapping[str, Mapping[str, Schema]] = {
    "search": _HITS,
    "grep": _HITS,
    "gather": {
        **_texts("label", "status", "next"),
        "truncated": _TRUTH,
        "evidence": _list(_PIECE),
        "conflicts": _list(_CONFLICT),
        "notes": _list(_TEXT),
    },
    "traverse": {**_texts("label", "status", "session", "before", "next"), "steps": _list(_PIECE)},
    "recall": {
        **_texts("label", "status", "text", "document", "session", "time", "host", "kind", "title"),
        **_texts("replaced_by", "before", "next"),
        "version": _COUNT,
        "bytes": _list(_COUNT),
        "source_keys": _list(_TEXT),
        "omitted": _object(),
        "tokens": _COUNT,
        "redactions": _COUNT,
    },
    "sessions": {
        **_texts("label", "next"),
        "sessions": _list(
            _object(
                **_texts("session", "host", "host_session", "started", "ended", "relation", "cwd", "title"),
                events=_COUNT,
            )
        ),
    },
    "note": _KEPT,
    "correct": {**_KEPT, "corrects": _TEXT},
    "status": {
        "ok": _TRUTH,
        "version": _TEXT,
        "archive": _object(),
        "index": _object(),
        "problems": _list(_object(**_texts("code", "message", "hint"))),
    },
}


def output_schema(operation: str) -> dict[str, Any]:
    """Return the JSON Schema of an operation's answer or error."""
    return _object(**{OWN_KEY: _TEXT}, **SHAPES[operation], error=_ERROR)
