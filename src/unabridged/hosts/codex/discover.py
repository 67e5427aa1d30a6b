"""Where Codex keeps its rollouts, and how one is told from other files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from unabridged.hosts.codex.compressed import decompress, is_compressed
from unabridged.hosts.codex.documents import is_document
from unabridged.hosts.codex.rows import Parsed, Rare, parse_odd
from unabridged.hosts.codex.threads import lineage
from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.lines import values
from unabridged.hosts.walk import walk

FOLDERS = ("sessions", "archived_sessions")
PLAIN, PACKED, DOCUMENT = ".jsonl", ".jsonl.zst", ".json"
OTHER_FILES = frozenset(("history.jsonl", "session_index.jsonl"))  # prompts of all sessions; their names
SNIFFED = 65_536  # bytes of a document that are looked at

KINDS = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_THREAD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def root(env: Mapping[str, str], home: Path) -> Path:
    """Return the host's folder."""
    configured = env.get("CODEX_HOME", "").strip()
    return Path(configured) if configured else home / ".codex"


def find(start: Path) -> Iterator[Candidate]:
    """Yield the rollouts below a folder; a compressed one only where no plain one stands beside it."""
    inner = [start / name for name in FOLDERS if (start / name).is_dir()]
    for folder in inner or [start]:
        single = folder.is_file()
        for path in walk(folder, _is_named):
            if path.name.endswith(PACKED) and path.with_name(path.name.removesuffix(".zst")).is_file():
                continue
            if path.name.endswith((PLAIN, PACKED)):
                yield Candidate(str(path), "file")
            elif is_document(_beginning(path)):
                yield Candidate(str(path), "rows")
            elif single:
                yield Candidate(str(path), "file")


def _is_named(name: str) -> bool:
    if name.endswith((PLAIN, PACKED)):
        return name not in OTHER_FILES
    return name.endswith(DOCUMENT) and name.startswith("rollout-")


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SNIFFED)
    except OSError:
        return b""


def sniff(head: bytes, path: Path) -> bool:
    """Tell from a file's first bytes whether it is a rollout; the last line may be cut off."""
    if is_compressed(head):
        head = decompress(head)
        if not head:  # not one block is complete: nothing but the name can tell
            return path.name.startswith("rollout-") and path.name.endswith(PACKED)
    if is_document(head):
        return True
    lines = head.split(b"\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    if any(_is_ours(value) for line in whole for value in values(line).items):
        return True
    # The first line, with the model's instructions, may be longer than what is given.
    return (
        len(lines) == 1
        and head.startswith(b"{")
        and b'"type":"session_meta"' in head[:200].replace(b" ", b"")
    )


def _is_ours(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    row = cast("dict[str, Any]", value)
    if row.get("type") in KINDS and isinstance(row.get("payload"), dict):
        return True
    # The header before September 2025.
    return {"id", "timestamp", "instructions"} <= row.keys() and "type" not in row


def head(path: Path, lines: Iterable[bytes]) -> Head | None:
    """Return the thread that the first header names; in a piece without a header, the one in the file's name."""
    first: Head | None = None
    for line in lines:
        for parsed in parse_odd(line)[0]:
            if not _is_header(parsed):
                return first or Head(thread_in_name(path.name) or path.name.split(".", 1)[0])
            rare = parsed.rare()
            if first is None:
                first = _head(rare)
            elif not first.relation and rare.id != first.host_session:
                # A version that copies the parent's header without naming it in its own.
                return Head(first.host_session, first.cwd, rare.id or "", "fork")
    return first


def _is_header(parsed: Parsed) -> bool:
    kind, item = parsed.row.type, parsed.item
    return kind == "session_meta" or (kind is None and item.type is None and item.id is not None)


def _head(rare: Rare) -> Head:
    told = lineage(rare)
    return Head(rare.id or "", rare.cwd or "", told.parent, told.relation, told.fork_native)


def thread_in_name(name: str) -> str:
    """Return the thread's id in a rollout's file name; "" where there is none."""
    found = _THREAD.search(name)
    return found[0] if found is not None else ""
