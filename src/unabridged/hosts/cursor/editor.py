"""Conversations of the editor: in `state.vscdb`, a table of keys and values.

`composerData:<id>` describes a conversation and lists its bubbles, `bubbleId:<id>:<bubble>` is one of them. A value
that is written gets a new row, so that the numbers of rows tell what has changed without the values being read.
Versions before 2025 keep conversations among a workspace's settings.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from unabridged.errors import UnabridgedError
from unabridged.hosts import given
from unabridged.hosts.contract import RowStream
from unabridged.hosts.cursor.places import folder_of, item
from unabridged.hosts.cursor.rows import BUBBLE, SESSION, TOO_LONG
from unabridged.hosts.databases import has_table, opened
from unabridged.hosts.lines import TOO_LONG as LONGEST
from unabridged.hosts.oneline import as_json, one_line

TABLE, SETTINGS = "cursorDiskKV", "ItemTable"
CONVERSATION, OF_BUBBLE = "composerData:", "bubbleId:"
TABS = "workbench.panel.aichat.view.aichat.chatdata"  # conversations of versions before 2025
FIRST_BUBBLES = 4  # that may name the folder
INLINE = (b'"conversation":[{', b'"conversationMap":{"')

Value = dict[str, Any]


def has_conversations(path: Path) -> bool:
    """Tell whether a database is this editor's; False where it cannot be opened now."""
    try:
        with opened(path) as connection:
            if has_table(connection, TABLE):
                return True
            return has_table(connection, SETTINGS) and item(connection, TABS) is not None
    except UnabridgedError:
        return False


def conversations(path: Path) -> set[str]:
    """Return the ids of all conversations of a database; none where it cannot be opened now."""
    try:
        with opened(path) as connection:
            return {name for name, _ in _listed(connection)} if has_table(connection, TABLE) else set()
    except UnabridgedError:
        return set()


def streams(path: Path) -> list[RowStream]:
    """Return all conversations in which something was said; a version changes with every change of one."""
    with opened(path) as connection:
        found: list[RowStream] = []
        if has_table(connection, TABLE):
            for name, row in _listed(connection):
                count, newest = connection.execute(
                    "SELECT count(*), max(rowid) FROM cursorDiskKV WHERE key >= ? AND key < ?",
                    _range(f"{OF_BUBBLE}{name}"),
                ).fetchone()
                if count or _is_inline(connection, name):
                    found.append(RowStream(name, f"{row}.{count}.{newest}"))
        if has_table(connection, SETTINGS):
            found += [RowStream(name, _size_of(tab)) for name, tab in _tabs(connection)]
        return found


def _size_of(tab: Value) -> str:
    """Return what changes with a tab's content."""
    bubbles: Any = tab.get("bubbles")
    count = len(cast("list[Any]", bubbles)) if isinstance(bubbles, list) else 0
    return f"{count}.{tab.get('lastSendTime')}.{len(as_json(tab))}"


def rows(path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
    """Return new and changed rows of a conversation, and the state behind them."""
    with opened(path) as connection:
        if has_table(connection, TABLE):
            described = _value(connection, f"{CONVERSATION}{stream}")
            if described is not None:
                version = _version(connection, stream)
                return given.look(_conversation(connection, path, stream, described), version, state)
        for name, tab in _tabs(connection) if has_table(connection, SETTINGS) else ():
            if name == stream:
                return given.look(_tab(path, name, tab), _size_of(tab), state)
    return [], state


def _listed(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Yield each conversation's id with the number of its row; values are not read."""
    for key, row in connection.execute(
        "SELECT key, rowid FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key",
        _range(CONVERSATION.removesuffix(":")),
    ).fetchall():
        yield str(key).removeprefix(CONVERSATION), row


def _range(prefix: str) -> tuple[str, str]:
    """Return the bounds of the keys that continue a prefix with a colon."""
    return f"{prefix}:", f"{prefix};"


def _version(connection: sqlite3.Connection, name: str) -> str:
    key = f"{CONVERSATION}{name}"
    row = connection.execute("SELECT rowid FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
    count, newest = connection.execute(
        "SELECT count(*), max(rowid) FROM cursorDiskKV WHERE key >= ? AND key < ?",
        _range(f"{OF_BUBBLE}{name}"),
    ).fetchone()
    return f"{row[0] if row else 0}.{count}.{newest}"


def _is_inline(connection: sqlite3.Connection, name: str) -> bool:
    value = _text(connection, f"{CONVERSATION}{name}")
    compact = value.replace(b": ", b":") if value else b""
    return any(mark in compact for mark in INLINE)


def _text(connection: sqlite3.Connection, key: str) -> bytes:
    found = connection.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
    value: Any = found[0] if found else b""
    return value if isinstance(value, bytes) else str(value or "").encode("utf-8", "surrogatepass")


def _value(connection: sqlite3.Connection, key: str) -> Value | None:
    try:
        found: Any = msgspec.json.decode(_text(connection, key) or b"null")
    except (msgspec.DecodeError, RecursionError):
        return None
    return cast("Value", found) if isinstance(found, dict) else None


# --- rows -------------------------------------------------------------------------------------------------------------


def _conversation(
    connection: sqlite3.Connection, path: Path, name: str, described: Value
) -> Iterator[given.Row]:
    bubbles = _named(name, described)
    model = _member(described, "modelConfig", "modelName")
    yield _session(
        path, name, described, (_value(connection, key) or {} for _, key, _ in bubbles[:FIRST_BUBBLES])
    )
    before = ""
    for bubble, key, inline in bubbles:
        text = _text(connection, key) if inline is None else as_json(inline)
        if text and text != b"null":
            yield _bubble(bubble, before, model, text)
            before = bubble
    # What a person has taken back is in no list any more.
    listed = {bubble for bubble, _, _ in bubbles}
    prefix = f"{OF_BUBBLE}{name}"
    for (key,) in connection.execute(
        "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY rowid",
        _range(prefix),
    ).fetchall():
        bubble = str(key).removeprefix(f"{prefix}:")
        text = _text(connection, str(key)) if bubble not in listed else b""
        if text and text != b"null":
            yield _bubble(bubble, "", model, text)


def _named(name: str, described: Value) -> list[tuple[str, str, Any]]:
    """Return a conversation's bubbles in order: id, key, and the bubble itself where it stands in the description."""
    headers: Any = described.get("fullConversationHeadersOnly")
    inline: Any = described.get("conversation")
    within: Any = described.get("conversationMap")
    mapped = cast("Value", within) if isinstance(within, dict) else {}
    found: list[tuple[str, str, Any]] = []
    for entry in cast("list[Any]", headers if isinstance(headers, list) and headers else inline or []):
        row = cast("Value", entry) if isinstance(entry, dict) else {}
        bubble = row.get("bubbleId")
        if isinstance(bubble, str) and bubble:
            own = mapped.get(bubble) if isinstance(headers, list) and headers else row
            found.append((bubble, f"{OF_BUBBLE}{name}:{bubble}", own))
    return found


def _session(path: Path, name: str, described: Value, bubbles: Iterator[Value]) -> given.Row:
    """Return a conversation's row: what describes it, never the keys that the host keeps there."""
    parent = _member(described, "subagentInfo", "parentComposerId")
    members: dict[str, Any] = {
        "cursor": SESSION,
        "id": name,
        "cwd": folder_of(path, described, bubbles),
        "title": described.get("name") or described.get("chatTitle") or "",
        "parent": parent,
        "relation": "subagent" if parent else "",
    }
    kept: dict[str, Any] = {key: value for key, value in members.items() if isinstance(value, str) and value}
    created: Any = described.get("createdAt")
    if isinstance(created, (int, float)):
        kept["created"] = created
    return given.Row(SESSION, as_json(kept) + b"\n")


def _bubble(name: str, before: str, model: str, text: bytes) -> given.Row:
    if len(text) > LONGEST:
        return given.Row(name, as_json({"cursor": TOO_LONG, "name": name, "size": len(text)}) + b"\n")
    members = {"cursor": BUBBLE, "name": name, "after": before}
    if model:
        members["model"] = model
    return given.Row(name, as_json(members)[:-1] + b',"data":' + one_line(text) + b"}\n")


def _member(row: Value, outer: str, inner: str) -> str:
    found: Any = row.get(outer)
    value: Any = cast("Value", found).get(inner) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


# --- conversations before 2025 ----------------------------------------------------------------------------------------


def _tabs(connection: sqlite3.Connection) -> list[tuple[str, Value]]:
    """Return the tabs of a workspace's chat with their ids."""
    value = item(connection, TABS)
    try:
        found: Any = msgspec.json.decode(value) if value else None
    except (msgspec.DecodeError, RecursionError):
        return []
    tabs: Any = cast("Value", found).get("tabs") if isinstance(found, dict) else None
    rows_ = [cast("Value", tab) for tab in cast("list[Any]", tabs or []) if isinstance(tab, dict)]
    return [
        (str(tab["tabId"]), tab) for tab in rows_ if isinstance(tab.get("tabId"), str) and tab.get("bubbles")
    ]


def _tab(path: Path, name: str, tab: Value) -> Iterator[given.Row]:
    described = {"name": tab.get("chatTitle"), "workspaceIdentifier": {"id": path.parent.name}}
    # The folder is that of the workspace whose settings these are: its description lies beside the database.
    yield _session(path.parent, name, described, iter(()))
    before = ""
    for index, bubble in enumerate(cast("list[Any]", tab["bubbles"])):
        if isinstance(bubble, dict):
            own: Any = cast("Value", bubble).get("id")
            bubble_name = own if isinstance(own, str) and own else f"{name}-{index}"
            yield _bubble(bubble_name, before, "", as_json(bubble))
            before = bubble_name
