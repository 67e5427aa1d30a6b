"""In which folder did a conversation of the editor take place?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import msgspec

from unabridged.errors import UnabridgedError
from unabridged.hosts.databases import opened

WORKSPACES = "workspaceStorage"
DESCRIBED = "workspace.json"
DATABASE = "state.vscdb"
LISTED = "composer.composerData"  # a workspace's own list of its conversations
SMALL = 1 << 20  # bytes of a file that describes a workspace


def folder_of(database: Path, conversation: dict[str, Any], bubbles: Iterator[dict[str, Any]]) -> str:
    """Return the folder: as the conversation says, its workspace, its first bubbles, or the workspace that lists it."""
    identifier = _object(conversation.get("workspaceIdentifier"))
    uri = _object(identifier.get("uri"))
    for said in (uri.get("fsPath"), uri.get("path"), identifier.get("fsPath")):
        if isinstance(said, str) and said:
            return said
    workspaces = database.parent.parent / WORKSPACES
    name = identifier.get("id")
    if isinstance(name, str) and name and "/" not in name:
        found = _described(workspaces / name)
        if found:
            return found
    for bubble in bubbles:
        uris: Any = bubble.get("workspaceUris")
        said = (
            cast("list[Any]", uris)[0]
            if isinstance(uris, list) and uris
            else bubble.get("workspaceProjectDir")
        )
        if isinstance(said, str) and path_of(said):
            return path_of(said)
    listed = conversation.get("composerId")
    return _listing(workspaces).get(listed, "") if isinstance(listed, str) else ""


def path_of(uri: str) -> str:
    """Return the path that a URI names, "" for one on another machine; a path as it is."""
    if "://" not in uri:
        return uri
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return ""
    path = unquote(parts.path)
    return path[1:] if path[2:3] == ":" else path  # /c:/folder


def _described(workspace: Path) -> str:
    try:
        file = workspace / DESCRIBED
        data = file.read_bytes() if file.stat().st_size <= SMALL else b"{}"
        found = _object(msgspec.json.decode(data))
    except (OSError, msgspec.DecodeError, RecursionError):
        return ""
    folder = found.get("folder")
    return path_of(folder) if isinstance(folder, str) else ""


def _listing(workspaces: Path) -> dict[str, str]:
    try:
        changed = workspaces.stat().st_mtime_ns
    except OSError:
        return {}
    return _listed(workspaces, changed)


@lru_cache(maxsize=2)
def _listed(workspaces: Path, changed: int) -> dict[str, str]:
    """Return the folder of each conversation that a workspace lists; older versions note it there alone."""
    del changed
    found: dict[str, str] = {}
    for file in sorted(workspaces.glob(f"*/{DATABASE}")):
        folder = _described(file.parent)
        if folder:
            found.update(dict.fromkeys(_conversations(file), folder))
    return found


def _conversations(file: Path) -> list[str]:
    try:
        with opened(file) as connection:
            value: Any = item(connection, LISTED)
        listed: Any = _object(msgspec.json.decode(value)).get("allComposers") if value else None
    except (UnabridgedError, msgspec.DecodeError, RecursionError):
        return []
    names = [_object(entry).get("composerId") for entry in cast("list[Any]", listed or [])]
    return [name for name in names if isinstance(name, str)]


def item(connection: sqlite3.Connection, key: str) -> str | bytes | None:
    """Return one named value of the editor's settings. Others, tokens among them, are never read."""
    found = connection.execute("SELECT value FROM ItemTable WHERE key = ?", (key,)).fetchone()
    value: Any = found[0] if found else None
    return value if isinstance(value, (str, bytes)) else None


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
