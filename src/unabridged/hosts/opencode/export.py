"""The host's own export of a session: one JSON document `{info, messages: [{info, parts}]}`.

Such a document is read as a stream; kept lines of any source are written back as one, which `opencode import` takes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from unabridged.hosts.contract import RowStream
from unabridged.hosts.lines import fit
from unabridged.hosts.oneline import as_json
from unabridged.hosts.opencode.rows import (
    GONE,
    INFO,
    MESSAGE,
    PART,
    SESSION,
    Key,
    Message,
    message_line,
    of_message,
    part_line,
    row_hash,
    session_line,
)

MAX_DOCUMENT = 256 << 20  # bytes; a document is read at once

Row = dict[str, Any]


def is_export(head: bytes) -> bool:
    """Tell from its first bytes whether a file is an export."""
    begin = head.lstrip()[:4096]
    return (
        begin.startswith(b"{")
        and b'"info"' in begin[:64]
        and b'"ses_' in begin
        and b'"messages"' not in begin[:64]
    )


def streams(path: Path) -> list[RowStream]:
    """Return the one session of an export; its version is the file's size and time."""
    document = _document(path)
    if document is None:
        return []
    stat = path.stat()
    return [RowStream(document["info"]["id"], f"{stat.st_size}.{stat.st_mtime_ns}")]


def rows(path: Path, state: bytes) -> tuple[list[bytes], bytes]:
    """Return all rows of an export, unless it is the one that `state` remembers."""
    document = _document(path)
    if document is None:
        return [], state
    session = document["info"]["id"]
    lines = [session_line(session, as_json(document["info"]), INFO)]
    for message in document["messages"]:
        lines += _message_lines(session, message)
    digest = hashlib.sha256(b"".join(lines)).digest()
    return ([], state) if digest == state else (lines, digest)


def _document(path: Path) -> Row | None:
    try:
        if path.stat().st_size > MAX_DOCUMENT:
            return None
        found: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    document = cast("Row", found)
    info, messages = document.get("info"), document.get("messages")
    if not isinstance(info, dict) or not isinstance(messages, list):
        return None
    named = isinstance(cast("Row", info).get("id"), str)
    return document if named else None


def _message_lines(session: str, message: Any) -> Iterator[bytes]:
    whole = _object(message)
    info = _object(whole.get("info"))
    name = info.get("id")
    if not isinstance(name, str):
        return
    of = of_message(fit(info, Message) or Message())
    parts: Any = whole.get("parts")
    for part in map(_object, cast("list[Any]", parts) if isinstance(parts, list) else []):
        if isinstance(part.get("id"), str):
            yield part_line(Key(PART, part["id"], name, of.created), session, of, as_json(part))
    yield message_line(Key(MESSAGE, name, name, of.created), session, as_json(info))


def _object(value: Any) -> Row:
    return cast("Row", value) if isinstance(value, dict) else {}


# --- writing ----------------------------------------------------------------------------------------------------------


def document(lines: Iterable[bytes]) -> Row:
    """Return the session as the kept lines leave it: the last state of every row that the host has not deleted."""
    info: Row = {}
    messages: dict[str, tuple[tuple[int, str], Row]] = {}
    parts: dict[str, tuple[str, Row]] = {}
    for row in map(_row, lines):
        table, data, name = row.get("table"), _object(row.get("data")), str(row.get("id"))
        whole = {**data, "id": name, "sessionID": row.get("session_id")}
        if table == SESSION:
            info = data if row.get("form") == INFO else session_info(data)
        elif table == MESSAGE and data:
            messages[name] = ((row["created"], name), whole)
        elif table == PART and data:
            parts[name] = (row["message_id"], {**whole, "messageID": row["message_id"]})
        elif table == GONE:
            gone = set(row["gone"])
            messages = {
                key: kept for key, kept in messages.items() if row_hash(MESSAGE, key).hex() not in gone
            }
            parts = {key: kept for key, kept in parts.items() if row_hash(PART, key).hex() not in gone}
    held: dict[str, list[Row]] = {}
    for _, (message, part) in sorted(parts.items()):
        held.setdefault(message, []).append(part)
    ordered = sorted(messages.values(), key=lambda message: message[0])
    return {
        "info": info,
        "messages": [{"info": message, "parts": held.get(place[1], [])} for place, message in ordered],
    }


def _row(line: bytes) -> Row:
    """Return a kept line; a line that was cut off by a crash is no row."""
    try:
        return _object(json.loads(line)) if line.strip() else {}
    except ValueError:
        return {}


def restore(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Write the session as an export."""
    yield as_json(document(lines), indent=2)
    yield b"\n"


_PLAIN = {
    "id": "id",
    "slug": "slug",
    "project_id": "projectID",
    "workspace_id": "workspaceID",
    "directory": "directory",
    "path": "path",
    "parent_id": "parentID",
    "title": "title",
    "agent": "agent",
    "model": "model",
    "version": "version",
}


def session_info(columns: Row) -> Row:
    """Return a session's columns in the form that the host's export gives them."""
    info: Row = {name: columns[column] for column, name in _PLAIN.items() if columns.get(column) is not None}
    if columns.get("summary_additions") is not None:
        summary = {name: columns.get(f"summary_{name}") or 0 for name in ("additions", "deletions", "files")}
        diffs = columns.get("summary_diffs")
        info["summary"] = {**summary, "diffs": diffs} if diffs else summary
    if columns.get("share_url"):
        info["share"] = {"url": columns["share_url"]}
    cost = columns.get("cost")
    if cost is not None:  # a real number in the database; JavaScript has one kind of numbers
        info["cost"] = int(cost) if cost == int(cost) else cost
    if columns.get("tokens_input") is not None:
        cache = {kind: columns.get(f"tokens_cache_{kind}") or 0 for kind in ("read", "write")}
        tokens = {kind: columns.get(f"tokens_{kind}") or 0 for kind in ("input", "output", "reasoning")}
        info["tokens"] = {**tokens, "cache": cache}
    for name in ("permission", "revert", "metadata"):
        if columns.get(name) is not None:
            info[name] = columns[name]
    times = {name: columns.get(f"time_{name}") for name in ("created", "updated", "compacting", "archived")}
    info["time"] = {name: value for name, value in times.items() if value is not None}
    return info
