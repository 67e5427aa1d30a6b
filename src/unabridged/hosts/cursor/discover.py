"""Where Cursor keeps its conversations, and how they are told from other files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

from unabridged.hosts import databases
from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.cursor import chats, editor
from unabridged.hosts.cursor.places import DATABASE, WORKSPACES
from unabridged.hosts.cursor.rows import SESSION, TURN_ENDED, Row, is_kept, parse
from unabridged.hosts.walk import walk

STORE = "store.db"
TRANSCRIPTS = "agent-transcripts"  # the folder of a project's transcripts
TRANSCRIPT = ".jsonl"
SUBAGENTS = "subagents"
GLOBAL = "globalStorage"
FOLDER = ".cursor"
SKIPPED = frozenset(("node_modules", ".git", "History", "extensions", "CachedData", "logs"))
SNIFFED = 65_536  # bytes of a file that are looked at
HEAD_ROWS = 6  # first rows in which the host tells the model its folder

_WORKSPACE = re.compile(r"Workspace Path: ([^\n]{1,4096})")
_SLUG = re.compile(r"[^A-Za-z0-9]+")


def roots(env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
    """Return the editor's databases, the command line's stores, and the transcripts."""
    user = _settings(env, home, platform) / "Cursor" / "User"
    return [
        user / GLOBAL / DATABASE,
        user / WORKSPACES,
        home / FOLDER / "chats",
        home / FOLDER / "projects",
        home / ".cursor-server" / "projects",
    ]


def _settings(env: Mapping[str, str], home: Path, platform: str) -> Path:
    """Return the folder where programs of a person keep their settings."""
    if platform == "win32":
        return Path(env["APPDATA"]) if env.get("APPDATA") else home / "AppData" / "Roaming"
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"


def find(root: Path) -> Iterator[Candidate]:
    """Yield databases, and the transcripts of conversations that are in none of them.

    A transcript has the words of a conversation alone, without calls' results, ids and times: where a database has the
    conversation, the transcript says nothing more.
    """
    if root.name == WORKSPACES:
        for path in sorted(root.glob(f"*/{DATABASE}")):
            yield Candidate(str(path.resolve()), "rows")
        return
    stored: set[str] | None = None
    for path in walk(root, _is_named, SKIPPED):
        if path.name in (DATABASE, STORE) or path == root.resolve():
            yield Candidate(str(path), "rows" if databases.is_database(_beginning(path)) else "file")
        elif TRANSCRIPTS in path.parts:
            stored = _stored(path) if stored is None else stored
            if path.stem not in stored:
                yield Candidate(str(path), "file")


def _is_named(name: str) -> bool:
    return name in (DATABASE, STORE) or name.endswith(TRANSCRIPT)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SNIFFED)
    except OSError:
        return b""


def _stored(transcript: Path) -> set[str]:
    """Return the conversations that databases hold which belong to the same home folder as a transcript."""
    for above in transcript.parents:
        if above.name != FOLDER:
            continue
        home = above.parent
        found = {path.parent.name for path in above.glob(f"chats/*/*/{STORE}")}
        for settings in (".config", "Library/Application Support", "AppData/Roaming"):
            database = home / settings / "Cursor" / "User" / GLOBAL / DATABASE
            if database.is_file():
                found |= editor.conversations(database)
        return found
    return set()


def sniff(head: bytes, path: Path) -> bool:
    """Tell from a file's first bytes whether it is a database of this host, a transcript, or kept lines."""
    if databases.is_database(head):
        return editor.has_conversations(path) or chats.has_blobs(path)
    head = head.removeprefix(b"\xef\xbb\xbf")
    if is_kept(head):
        return True
    for line in head.split(b"\n"):
        rows, _ = parse(line) if line.strip() else ([], None)
        if rows:
            return any(_is_transcribed(item.row) for item in rows)
    return False


def _is_transcribed(row: Row) -> bool:
    message: Any = row.message
    content: Any = cast("dict[str, Any]", message).get("content") if isinstance(message, dict) else None
    return row.role in ("user", "assistant") and row.type is None and isinstance(content, (list, str))


def head(path: Path, lines: Iterable[bytes]) -> Head | None:
    """Return what the session's row says; of a transcript, what its path and its first words do."""
    for number, line in enumerate(islice(lines, HEAD_ROWS)):
        for item in parse(line)[0]:
            row = item.row
            if row.cursor == SESSION and row.id:
                return Head(row.id, row.cwd or "", row.parent or "", row.relation or "", "", row.title or "")
            if row.cursor is not None and number == HEAD_ROWS - 1:
                return Head(path.stem)
            if row.cursor is None and (row.role or row.type == TURN_ENDED):
                return _of_transcript(path, row)
    return None


def _of_transcript(path: Path, row: Row) -> Head:
    below = path.parent.name == SUBAGENTS
    parent = path.parent.parent.name if below else ""
    return Head(path.stem, _folder(path, row), parent, "subagent" if below else "")


def _folder(path: Path, row: Row) -> str:
    """Return the folder that the host tells the model, where the project's folder is named after it."""
    found = _WORKSPACE.search(str(row.message).replace("\\n", "\n"))
    if found is None or TRANSCRIPTS not in path.parts:
        return ""
    named = path.parts[path.parts.index(TRANSCRIPTS) - 1]
    return found[1] if _slug(found[1]) == _slug(named) else ""


def _slug(name: str) -> str:
    return _SLUG.sub("-", name).strip("-").lower()
