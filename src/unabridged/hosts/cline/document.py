"""A conversation's document as rows: what in it is new since the last look.

A document of newer versions names its session and lies beside a manifest of it; one of older versions is the list of
messages in a task's folder, which the host's list of tasks describes.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import msgspec

from unabridged.hosts import documents
from unabridged.hosts.cline import discover
from unabridged.hosts.cline.rows import MESSAGE, SESSION, SHOWN, TOO_LONG, message_of, name_of
from unabridged.hosts.contract import RowStream
from unabridged.hosts.oneline import as_json, one_line

ARRAY = "messages"
MANIFEST_BYTES = 4 << 20  # of a description that is read
TASKS_BYTES = 32 << 20  # of a list of all tasks that is read
TITLE_CHARACTERS = 200
MILLIS_DIGITS = 13  # of a task's name that is the time when it began
NAME_BYTES = 6  # of the hash that names a message without an id and a time


class State(msgspec.Struct, array_like=True):
    """What is remembered between looks."""

    session: bytes = b""
    given: bytes = b""


class Task(msgspec.Struct, frozen=True, rename="camel"):
    """What a list of tasks says of one."""

    id: str = ""
    task: str | None = None
    workspace: str | None = None
    cwd_on_task_initialization: str | None = None
    shadow_git_config_work_tree: str | None = None
    parent_task_id: str | None = None


def streams(path: Path) -> list[RowStream]:
    """Return the one session of a document."""
    return [RowStream(_session(path)[0], documents.version(path, *_beside(path)))]


def rows(path: Path, state: bytes) -> tuple[list[bytes], bytes]:
    """Return new and changed messages as rows, behind the session's row where that has changed."""
    memory = msgspec.msgpack.decode(state, type=State) if state else State()
    head = _head(path)
    look = documents.look(path, "" if head.startswith(b"[") else ARRAY, memory.given)
    kind = SHOWN if discover.is_shown(head) else MESSAGE
    lines = [_line(kind, new) for new in look.elements]
    name, described = _session(path)
    created = {"created": int(name)} if name.isdecimal() and len(name) == MILLIS_DIGITS else {}
    session = as_json({"cline": SESSION, "id": name, **described, **created})
    if session != memory.session and (lines or memory.session):
        lines.insert(0, session + b"\n")
        memory.session = session
    return lines, msgspec.msgpack.encode(State(memory.session, look.state))


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(discover.SNIFFED).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return b""


def _line(kind: str, new: documents.New) -> bytes:
    if not new.data:
        return as_json({"cline": TOO_LONG, "size": new.element.size}) + b"\n"
    members = {"cline": kind}
    if not new.element.place:
        members["after"] = ""
    elif new.before is not None and new.before.data:
        before = name_of(message_of(new.before.data), "")
        if before:
            members["after"] = before
    if not name_of(message_of(new.data), ""):
        members["name"] = f"H{new.name[:NAME_BYTES].hex()}"
    return as_json(members)[:-1] + b',"data":' + one_line(new.data) + b"}\n"


# --- what describes a session -----------------------------------------------------------------------------------------


def _session(path: Path) -> tuple[str, dict[str, str]]:
    """Return a session's name, and what is known of it: `cwd`, `title`, `parent`, `relation`."""
    if path.name.endswith(discover.MESSAGES):
        return _newer(path)
    name = path.parent.name or path.stem
    found = _task(path, name)
    described = {
        "cwd": found.workspace or found.cwd_on_task_initialization or found.shadow_git_config_work_tree or "",
        "title": _title(found.task),
        "parent": found.parent_task_id or "",
        "relation": "subagent" if found.parent_task_id else "",
    }
    return name, {key: value for key, value in described.items() if value}


def _newer(path: Path) -> tuple[str, dict[str, str]]:
    members = documents.beginning(path, ARRAY)
    stem = path.name.removesuffix(discover.MESSAGES)
    name = _string(members, "sessionId") or stem
    root = path.parent.name
    manifest = _manifest(path.parent / f"{root}.json")
    described = {"cwd": _string(manifest, "cwd") or _string(manifest, "workspace_root")}
    origin = _object(members, "origin")
    parent = _string(origin, "parentThreadId") or (root if manifest and stem != root else "")
    if parent and parent != name:  # an agent of the session that the folder is named after
        described |= {"parent": parent, "relation": "subagent"}
    else:
        described["title"] = _title(_string(_object(manifest, "metadata"), "title"))
    return name, {key: value for key, value in described.items() if value}


def _beside(path: Path) -> list[Path]:
    """Return the files whose change may change what is known of a session."""
    if path.name.endswith(discover.MESSAGES):
        return [path.parent / f"{path.parent.name}.json"]
    return [path.parent / "history_item.json"]


def _manifest(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes() if path.stat().st_size <= MANIFEST_BYTES else b"{}"
        found: Any = msgspec.json.decode(data)
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _task(path: Path, name: str) -> Task:
    item = path.parent / "history_item.json"
    try:
        return msgspec.json.decode(item.read_bytes()[:MANIFEST_BYTES], type=Task)
    except (OSError, msgspec.DecodeError, RecursionError):
        pass
    for listed in (path.parents[1] / "_index.json", path.parents[1].parent / "state" / "taskHistory.json"):
        try:
            found = listed.stat()
        except OSError:
            continue
        task = _tasks(listed, found.st_size, found.st_mtime_ns).get(name)
        if task is not None:
            return task
    return Task()


@lru_cache(maxsize=4)
def _tasks(path: Path, size: int, changed: int) -> dict[str, Task]:
    """Return a list's tasks by their ids; size and time stand for its content."""
    del changed
    try:
        found: Any = msgspec.json.decode(path.read_bytes() if size <= TASKS_BYTES else b"[]")
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    entries: Any = cast("dict[str, Any]", found).get("entries") if isinstance(found, dict) else found
    tasks: dict[str, Task] = {}
    for entry in cast("list[Any]", entries) if isinstance(entries, list) else []:
        try:
            task = msgspec.convert(entry, Task)
        except msgspec.ValidationError:
            continue
        tasks[task.id] = task
    return tasks


def _title(text: str | None) -> str:
    first = (text or "").strip().split("\n", 1)[0]
    return first[:TITLE_CHARACTERS]


def _object(row: dict[str, Any], key: str) -> dict[str, Any]:
    value: Any = row.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _string(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""
