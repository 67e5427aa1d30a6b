"""Where Cline, Roo Code and Kilo Code keep their conversations, and how one is told from other files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from unabridged.hosts.cline.rows import SESSION, Row, is_kept, parse
from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.walk import walk

HISTORY, OLD_HISTORY = "api_conversation_history.json", "claude_messages.json"
SHOWN = "ui_messages.json"
MESSAGES = ".messages.json"  # ends the name of a conversation of newer versions
EXTENSIONS = (
    "saoudrizwan.claude-dev",
    "rooveterinaryinc.roo-cline",
    "kilocode.kilo-code",
    "zoocodeorganization.zoo-code",
)
EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Trae")
# Where an editor's remote half keeps what extensions write, below the home folder.
REMOTE = (
    ".vscode-server/data",
    ".vscode-server-insiders/data",
    ".vscode-remote/data",
    ".cursor-server/data",
    ".windsurf-server/data",
    ".local/share/code-server",
)
# Copies of a project's files, which some versions keep beside tasks.
SKIPPED = frozenset(("checkpoints", ".git", "node_modules"))
SNIFFED = 65_536  # bytes of a file that are looked at
HEAD_ROWS = 6  # first rows in which the host tells the model its folder

_ARRAY = re.compile(rb'\s*\[\s*\{\s*"(?:role|content|ts|type|id)"\s*:')
_OBJECT = re.compile(rb'\s*\{\s*"(?:version|updated_at|sessionId|agent)"\s*:')
_OF_HOST = re.compile(rb"<task>|<user_message>|<environment_details>|<user_input |\"modelInfo\"")
_SHOWN = re.compile(rb'"type"\s*:\s*"(?:say|ask)"')
_FOLDER = re.compile(r"# Current (?:Workspace|Working) Directory \(([^\n]{1,4096}?)\) Files")


def roots(env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
    """Return the folders of newer versions' sessions and of all extensions' tasks in all editors."""
    folder = Path(env["CLINE_DIR"]) if env.get("CLINE_DIR") else home / ".cline"
    data = Path(env["CLINE_DATA_DIR"]) if env.get("CLINE_DATA_DIR") else folder / "data"
    sessions = Path(env["CLINE_SESSION_DATA_DIR"]) if env.get("CLINE_SESSION_DATA_DIR") else data / "sessions"
    users = [_settings(env, home, platform) / editor / "User" for editor in EDITORS]
    users += [home / place / "User" for place in REMOTE]
    tasks = [user / "globalStorage" / extension / "tasks" for user in users for extension in EXTENSIONS]
    return [sessions, data / "tasks", home / ".kilocode" / "cli" / "global" / "tasks", *tasks]


def _settings(env: Mapping[str, str], home: Path, platform: str) -> Path:
    """Return the folder where programs of a person keep their settings."""
    if platform == "win32":
        return Path(env["APPDATA"]) if env.get("APPDATA") else home / "AppData" / "Roaming"
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"


def find(root: Path) -> Iterator[Candidate]:
    """Yield conversations; what was shown to the person where the conversation itself is gone."""
    for path in walk(root, _is_named, SKIPPED):
        if path.name == SHOWN and path != root and _has_history(path):
            continue
        if path == root and is_kept(_beginning(path)):
            yield Candidate(str(path), "file")
        else:
            yield Candidate(str(path), "rows")


def _has_history(path: Path) -> bool:
    return any(path.with_name(name).exists() for name in (HISTORY, OLD_HISTORY))


def _is_named(name: str) -> bool:
    return name in (HISTORY, OLD_HISTORY, SHOWN) or name.endswith(MESSAGES)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SNIFFED)
    except OSError:
        return b""


def sniff(head: bytes, path: Path) -> bool:
    """Tell from a file's first bytes whether it is a conversation.

    The messages of a provider's API alone are no sign: the host's own fields or texts are, or the file's name.
    """
    head = head.removeprefix(b"\xef\xbb\xbf")
    if is_kept(head):
        return True
    if _OBJECT.match(head) and b'"projectHash"' not in head:
        return b'"messages"' in head and (b'"sessionId"' in head or b'"role"' in head or b"[]" in head)
    if head.strip() in (b"[]", b"[\n]"):
        return _is_named(path.name)
    if not _ARRAY.match(head):
        return False
    if is_shown(head):
        return True
    return b'"role"' in head and (_is_named(path.name) or _OF_HOST.search(head) is not None)


def is_shown(head: bytes) -> bool:
    """Tell whether these bytes begin a list of messages that were shown."""
    return (
        _ARRAY.match(head) is not None and _SHOWN.search(head[:4096]) is not None and b'"ts"' in head[:4096]
    )


def head(path: Path, lines: Iterable[bytes]) -> Head | None:
    """Return what the session's row says; the folder also from what the host tells the model."""
    session: Row | None = None
    told = ""
    named = False
    for line in islice(lines, HEAD_ROWS):
        for item in parse(line)[0]:
            named = named or item.row.cline is not None
            if item.row.cline == SESSION and session is None:
                session = item.row
            elif item.row.data is not None and not told:
                told = _folder(item.row.data.content)
    if session is None or not session.id:
        return Head(path.stem, told) if named else None
    return Head(
        session.id, session.cwd or told, session.parent or "", session.relation or "", "", session.title or ""
    )


def _folder(content: object) -> str:
    found = _FOLDER.search(str(content).replace("\\n", "\n").replace("\\\\", "\\"))
    return found[1] if found else ""
