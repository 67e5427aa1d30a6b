"""Where Gemini CLI keeps its sessions, and how one is told from other files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

import msgspec

from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.gemini.read import ID_CHARACTERS, SUBAGENT, TITLE_CHARACTERS
from unabridged.hosts.gemini.rows import Row, parse
from unabridged.hosts.walk import walk

ROWS, DOCUMENT = ".jsonl", ".json"
SESSION, CHECKPOINT = "session-", "checkpoint-"  # begin the names of files
CHATS = "chats"  # the folder of a project's sessions; those of subagents are in a folder below it
MESSAGES = frozenset(("user", "gemini", "info", "warning", "error"))
SNIFFED = 65_536  # bytes of a file that are looked at
CONTEXT_ROWS = 20  # first rows in which the host tells the model its folder
SMALL = 1 << 20  # bytes of a file that names projects

# A saved chat begins with a content: in a list, or as an object's history.
_CHECKPOINT = re.compile(
    rb'\s*(?:\{\s*"history"\s*:\s*)?\[\s*\{\s*(?:"role"\s*:\s*"(?:user|model)"\s*,\s*"parts"|"parts"\s*:\s*\[)'
)
_DOCUMENT = re.compile(rb'\s*\{\s*"(?:sessionId|projectHash)"\s*:')
_FOLDER = re.compile(
    r"(?:\n  - |working in (?:the directory|the following directories): ?(?:\n  - )?)([^\n]{1,4096})"
)


def roots(env: Mapping[str, str], home: Path) -> Sequence[Path]:
    """Return the folder of all projects' files; the same on every platform, but for a sandbox on macOS."""
    base = Path(env["GEMINI_CLI_HOME"]) if env.get("GEMINI_CLI_HOME") else home
    return [base / ".gemini" / "tmp", base / ".cache" / ".gemini" / "tmp"]


def find(root: Path) -> Iterator[Candidate]:
    """Yield sessions, subagents' sessions, and chats that were saved under a name."""
    for path in walk(root, lambda name: name.endswith((ROWS, DOCUMENT))):
        head = _beginning(path)
        if is_document(head) or is_checkpoint(head):
            yield Candidate(str(path), "rows")
        elif path == root or CHATS in path.parts[-3:-1] or (path.suffix == ROWS and is_session(head)):
            yield Candidate(str(path), "file")


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SNIFFED)
    except OSError:
        return b""


def sniff(head: bytes) -> bool:
    """Tell from a file's first bytes whether it is a session in any form, or a saved chat."""
    return is_document(head) or is_checkpoint(head) or is_session(head)


def is_document(head: bytes) -> bool:
    """Tell whether these bytes begin an older session, which is one document."""
    head = _text(head)
    return bool(_DOCUMENT.match(head)) and b'"messages"' in head and not is_session(head)


def is_checkpoint(head: bytes) -> bool:
    """Tell whether these bytes begin a chat that was saved under a name."""
    return _CHECKPOINT.match(_text(head)) is not None


def is_session(head: bytes) -> bool:
    """Tell whether these bytes begin rows of a session.

    Behind a line that cannot be read, which may have been the session's own, a message will do.
    """
    damaged = False
    for line in _text(head).split(b"\n"):
        if not line.strip():
            continue
        rows, _ = parse(line)
        if rows:
            return any(_is_header(item.row) or (damaged and _is_message(item.row)) for item in rows)
        damaged = True
    return False


def _text(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf")


def _is_header(row: Row) -> bool:
    return bool(row.session_id) and row.project_hash is not None and row.id is None


def _is_message(row: Row) -> bool:
    return bool(row.id) and row.type in MESSAGES and row.timestamp is not None


def head(path: Path, lines: Iterable[bytes]) -> Head | None:
    """Return what names a session: its first row; of one whose first row is damaged, the file's name.

    The row tells the folder by a hash only: a folder that has it is looked for where the host notes its projects'
    folders, and in what it tells the model.
    """
    texts: list[str] = []
    header: Row | None = None
    message = False
    for line in islice(lines, CONTEXT_ROWS):
        for item in parse(line)[0]:
            if header is None and _is_header(item.row):
                header = item.row
            message = message or _is_message(item.row)
            texts += _told(item.row)
    if header is None and not message:
        return None
    session = (header.session_id if header is not None else None) or path.stem
    parent, relation = _lineage(path, header)
    title = "" if relation else ((header.summary if header is not None else None) or "")[:TITLE_CHARACTERS]
    return Head(session, _folder(path, header, texts), parent, relation, "", title)


def _lineage(path: Path, header: Row | None) -> tuple[str, str]:
    """Return a subagent's parent, which is the folder's name."""
    below = path.parent.parent.name == CHATS
    if (header is not None and header.kind == SUBAGENT) or (header is None and below):
        return path.parent.name[:ID_CHARACTERS] if below else "", SUBAGENT
    return "", ""


def _folder(path: Path, header: Row | None, texts: list[str]) -> str:
    """Return the project's folder."""
    wanted = header.project_hash if header is not None else None
    for folder in [*_noted(path), *texts]:
        if wanted and hashlib.sha256(folder.encode("utf-8", "surrogatepass")).hexdigest() == wanted:
            return folder
    directories: Any = header.directories if header is not None else None
    if isinstance(directories, list) and directories:
        first: Any = cast("list[Any]", directories)[0]
        return first if isinstance(first, str) else ""
    return ""


def _noted(path: Path) -> Iterator[str]:
    """Yield the folders that the host has noted beside a session, and for all of its projects."""
    for above in path.parents[:3]:
        yield _small(above / ".project_root").decode("utf-8", "replace").strip()
    for above in path.parents[2:5]:
        try:
            listed: Any = msgspec.json.decode(_small(above / "projects.json") or b"{}")
        except (msgspec.DecodeError, RecursionError):
            continue
        projects: Any = cast("dict[str, Any]", listed).get("projects") if isinstance(listed, dict) else None
        yield from cast("dict[str, Any]", projects) if isinstance(projects, dict) else ()


def _small(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.stat().st_size <= SMALL else b""
    except OSError:
        return b""


def _told(row: Row) -> list[str]:
    """Return the folders that the host has told the model."""
    changes: Any = row.changes
    messages: Any = (
        cast("dict[str, Any]", changes).get("messages") if isinstance(changes, dict) else [row.content]
    )
    if not isinstance(messages, list):
        return []
    return _FOLDER.findall(msgspec.json.encode(messages).decode().replace("\\n", "\n")[:SNIFFED])
