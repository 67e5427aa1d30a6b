"""Rollouts of the first Codex (TypeScript, 2025): one JSON document `{session, items}`, written anew as it grows.

They are read as a stream of rows: `{"session": …}`, then one `{"item": …}` for each item.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from unabridged.hosts.contract import RowStream

MAX_DOCUMENT = (
    64 << 20
)  # bytes; these versions cut each output to 10 KB, so that real documents stay far below
SESSION = b'{"session":'
ITEM = b'{"item":'


class _State(msgspec.Struct, array_like=True):
    """How many items have been given, and a digest of them."""

    items: int = 0
    digest: bytes = b""


def is_document(head: bytes) -> bool:
    """Tell from its first bytes whether a file is such a document."""
    begin = head.lstrip()[:400]
    return begin[:1] == b"{" and b'"session"' in begin and b'"payload"' not in begin and b'"items"' in head


def streams(path: Path) -> list[RowStream]:
    """Return the one session that a document holds; its version is the file's size and time."""
    found = _read(path)
    if found is None:
        return []
    stat = path.stat()
    return [RowStream(str(found[0].get("id") or path.stem), f"{stat.st_size}.{stat.st_mtime_ns}")]


def rows(path: Path, state: bytes) -> tuple[list[bytes], bytes]:
    """Return the rows behind `state`; all of them where the document no longer begins as it did."""
    found = _read(path)
    if found is None:
        return [], state
    session, items = found
    known = msgspec.msgpack.decode(state, type=_State) if state else _State()
    lines = [_line(ITEM, item) for item in items]
    if not state or known.items > len(lines) or _digest(lines[: known.items]) != known.digest:
        new = [_line(SESSION, session), *lines]
    else:
        new = lines[known.items :]
    return new, msgspec.msgpack.encode(_State(len(lines), _digest(lines)))


def restore(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Write the document again, in the form that JavaScript gives it."""
    session: Any = {}
    items: list[Any] = []
    for line in lines:
        value: Any = msgspec.json.decode(line)
        if "session" in value:  # a document that was written anew begins again
            session, items = value["session"], []
        else:
            items.append(value["item"])
    document = {"session": session, "items": items}
    yield json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8", "surrogatepass")


def _read(path: Path) -> tuple[dict[str, Any], list[Any]] | None:
    try:
        if path.stat().st_size > MAX_DOCUMENT:
            return None
        found: Any = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    document = cast("dict[str, Any]", found)
    session, items = document.get("session"), document.get("items")
    if not isinstance(session, dict) or not isinstance(items, list):
        return None
    return cast("dict[str, Any]", session), cast("list[Any]", items)


def _line(begin: bytes, value: Any) -> bytes:
    return begin + msgspec.json.encode(value) + b"}\n"


def _digest(lines: list[bytes]) -> bytes:
    state = hashlib.sha256()
    for line in lines:
        state.update(line)
    return state.digest()
