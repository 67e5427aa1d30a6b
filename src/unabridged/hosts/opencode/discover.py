"""Where OpenCode keeps its sessions, and how they are told from other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from unabridged.hosts import databases
from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.lines import values
from unabridged.hosts.opencode import database, export, tree
from unabridged.hosts.opencode.rows import INFO, MESSAGE, PART, SESSION
from unabridged.hosts.opencode.sessions import told
from unabridged.hosts.walk import walk

# Begin the names of databases; channels of the host have one each: opencode-dev.db. Kilo Code 7 is made of this host,
# and its command line keeps what it says in the same tables (seen of 7.7).
DATABASES = ("opencode", "kilo")
SUFFIX = ".db"
STORAGE = "storage"
SNIFFED = 65_536  # bytes of a file that are looked at
TABLES = (b"CREATE TABLE `session`", b"CREATE TABLE session", b'CREATE TABLE "session"')


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return the host's data folder, the same on every platform, and a database that was put elsewhere."""
    data = Path(env["XDG_DATA_HOME"]) if env.get("XDG_DATA_HOME") else home / ".local" / "share"
    folder, kilo = data / "opencode", data / "kilo"
    moved = env.get("OPENCODE_DB", "")
    return [folder, folder / moved, kilo] if moved and moved != ":memory:" else [folder, kilo]


def find(start: Path) -> Iterator[Candidate]:
    """Yield databases, older storages and exports: all of them hold rows."""
    if tree.is_storage(start):
        yield Candidate(str(start), "rows")
        return
    if start.is_file():
        yield Candidate(str(start), "rows")
        return
    if tree.is_storage(start / STORAGE):
        yield Candidate(str(start / STORAGE), "rows")
    for path in walk(start, _is_named):
        if (start / STORAGE) in path.parents:
            continue
        if path.suffix == SUFFIX or export.is_export(_beginning(path)):
            yield Candidate(str(path), "rows")


def _is_named(name: str) -> bool:
    return name.endswith((".json", ".jsonl")) or (name.startswith(DATABASES) and name.endswith(SUFFIX))


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SNIFFED)
    except OSError:
        return b""


def sniff(head: bytes, path: Path) -> bool:
    """Tell from a file's first bytes whether it is a database of this host, an export, or kept lines.

    Where a database keeps its tables' declarations far from its beginning, it is asked for them.
    """
    if databases.is_database(head):
        declared = any(table in head for table in TABLES) and b"message_id" in head
        return declared or database.has_sessions(path)
    return export.is_export(head) or _is_lines(head)


def _is_lines(head: bytes) -> bool:
    first = head.split(b"\n", 1)[0]
    return any(
        isinstance(value, dict) and cast("dict[str, Any]", value).get("table") in (SESSION, MESSAGE, PART)
        for value in values(first).items
    )


def head(lines: Iterable[bytes]) -> Head | None:
    """Return the session that the first session row describes; of lines without one, the session's id alone."""
    name = ""
    for line in lines:
        for value in values(line).items:
            row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            data: Any = row.get("data")
            if row.get("table") == SESSION and isinstance(data, dict):
                now = told(cast("dict[str, Any]", data), row.get("form") == INFO)
                return Head(str(row.get("id")), now.cwd, now.parent, now.relation, "", now.title)
            name = name or str(row.get("session_id") or "")
    return Head(name) if name else None
