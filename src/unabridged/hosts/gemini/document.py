"""Older sessions, each one document that the host writes anew as it grows, and chats that were saved under a name.

Kept are the rows that the newer form would have: the session's own, then one for each message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from unabridged.hosts import documents
from unabridged.hosts.contract import RowStream
from unabridged.hosts.gemini.discover import SNIFFED, is_checkpoint
from unabridged.hosts.oneline import as_json, one_line

MESSAGES, HISTORY = "messages", "history"
VOLATILE = "lastUpdated"  # changes whenever anything does


class State(msgspec.Struct, array_like=True):
    """What is remembered between looks."""

    header: bytes = b""
    given: bytes = b""


def streams(path: Path) -> list[RowStream]:
    """Return the one session of a document; none where it does not tell its name."""
    name = _name(path)
    return [RowStream(name, documents.version(path))] if name else []


def rows(path: Path, state: bytes) -> tuple[list[bytes], bytes]:
    """Return new and changed messages as rows, behind the session's row where that has changed."""
    memory = msgspec.msgpack.decode(state, type=State) if state else State()
    saved = _is_saved(path)
    array = MESSAGES if not saved else HISTORY if saved == b"{" else ""
    look = documents.look(path, array, memory.given)
    lines = [_line(element) for element in look.elements]
    header = as_json(_header(path, bool(saved)))
    if lines and header != memory.header:
        lines.insert(0, header + b"\n")
        memory.header = header
    return lines, msgspec.msgpack.encode(State(memory.header, look.state))


def _line(element: documents.New) -> bytes:
    if not element.data:
        return b'{"$tooLong":%d}\n' % element.element.size
    return one_line(element.data) + b"\n"


def _is_saved(path: Path) -> bytes:
    """Return how a saved chat begins, b"" where it is none."""
    try:
        with path.open("rb") as file:
            head = file.read(SNIFFED)
    except OSError:
        return b""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] if is_checkpoint(head) else b""


def _name(path: Path) -> str:
    if _is_saved(path):
        return f"{path.parent.name}/{path.stem}"
    name: Any = documents.beginning(path, MESSAGES).get("sessionId")
    return name if isinstance(name, str) else ""


def _header(path: Path, saved: bool) -> dict[str, Any]:
    if saved:
        return {"sessionId": _name(path), "projectHash": "", "summary": path.stem.partition("-")[2]}
    members = documents.beginning(path, MESSAGES)
    return {
        key: value for key, value in members.items() if key != VOLATILE and isinstance(value, (str, list))
    }
