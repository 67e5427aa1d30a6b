"""Where Pi keeps its sessions, and how one is told from other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.pi.rows import Row, parse, session_in_path
from unabridged.hosts.times import from_iso
from unabridged.hosts.walk import walk

TRANSCRIPT = ".jsonl"
ENTRIES = ("model_change", "thinking_level_change")  # what may follow a header before the first message


def roots(env: Mapping[str, str], home: Path) -> Sequence[Path]:
    """Return the folders of sessions: the configured ones, else those of Pi and of Oh My Pi."""
    configured: list[Path] = []
    if env.get("PI_CODING_AGENT_SESSION_DIR"):
        configured.append(Path(env["PI_CODING_AGENT_SESSION_DIR"]))
    if env.get("PI_CODING_AGENT_DIR"):
        configured.append(Path(env["PI_CODING_AGENT_DIR"]) / "sessions")
    usual = [home / folder / "agent" / "sessions" for folder in (".pi", ".omp")]
    return configured + [path for path in usual if path not in configured]


def find(root: Path) -> Iterator[Candidate]:
    """Yield the sessions below a folder, at any depth."""
    for path in walk(root, lambda name: name.endswith(TRANSCRIPT)):
        yield Candidate(str(path), "file")


def sniff(head: bytes) -> bool:
    """Tell from a file's first bytes whether it begins with the header of a session.

    Behind a line that cannot be read, which may have been the header, an entry will do.
    """
    damaged = False
    for line in head.split(b"\n"):
        if not line.strip():
            continue
        rows, _ = parse(line)
        if rows:
            return any(_is_header(item.row) or (damaged and _is_entry(item.row)) for item in rows)
        damaged = True
    return False


def _is_header(row: Row) -> bool:
    return row.type == "session" and bool(row.id) and row.timestamp is not None and row.cwd is not None


def _is_entry(row: Row) -> bool:
    if row.timestamp is None:
        return False
    if row.type == "message":
        return row.message is not None and bool(row.message.role)
    return row.type in ENTRIES and bool(row.id)


def head(path: Path, lines: Iterable[bytes]) -> Head | None:
    """Return what names a session: its header, or the file's name when that line is damaged.

    A session with a parent is a fork when it begins with entries older than itself, which it copied; else it goes on
    where the parent ended. That takes a second row, so None until there is one.
    """
    header: Row | None = None
    damaged = False
    for line in lines:
        rows, problem = parse(line)
        damaged = damaged or (problem is not None and not rows)
        for parsed in rows:
            row = parsed.row
            if header is None:
                if row.type != "session" or not row.id:
                    if damaged and _is_entry(row):
                        return Head(session_in_path(path.name) or path.stem, "")
                    continue
                header = row
                parent = session_in_path(row.parent_session or row.branched_from)
                if not parent:
                    return Head(row.id, row.cwd or "", title=row.title or "")
            elif row.timestamp:
                return _with_parent(header, row)
    return None


def _with_parent(header: Row, first: Row) -> Head:
    parent = session_in_path(header.parent_session or header.branched_from)
    copied = header.branched_from is not None or from_iso(first.timestamp) < from_iso(header.timestamp)
    relation = "fork" if copied else "continuation"
    return Head(header.id or "", header.cwd or "", parent, relation, title=header.title or "")
