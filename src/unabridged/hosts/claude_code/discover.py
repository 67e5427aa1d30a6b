"""Where Claude Code keeps its transcripts, and how one is told from other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.hosts.claude_code.rows import Row, parse
from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.walk import walk

TRANSCRIPT = ".jsonl"
NOTE = ".meta.json"  # beside a subagent's transcript: its type and task
OUTPUTS = "tool-results"  # folder of outputs too long for the transcript
PROMPTS = "history.jsonl"  # every prompt of every session once more: no transcript

OPENING_BYTES = 256  # of a line; the fields that are looked for are its first
# How a line begins whose end is not in sight, since it is longer than what was read of the file.
OPENINGS = (b'{"type":"queue-operation"', b'{"type":"file-history-snapshot"')


def roots(env: Mapping[str, str], home: Path) -> Sequence[Path]:
    """Return the folders of transcripts: the configured ones, else both places that versions have used."""
    configured = [part.strip() for part in env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    if configured:
        return [Path(part) / "projects" for part in configured]
    config = Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"
    return [home / ".claude" / "projects", config / "claude" / "projects"]


def find(root: Path) -> Iterator[Candidate]:
    """Yield the transcripts below a folder, and what belongs to them."""
    single = root.is_file()
    for path in walk(root, lambda name: name != PROMPTS):
        if single or (path.suffix == TRANSCRIPT and path.parent.name != OUTPUTS):
            yield Candidate(str(path), "file")
        elif path.parent.name == OUTPUTS:
            session = path.parent.parent
            yield Candidate(str(path), "sidecar", str(session.with_name(session.name + TRANSCRIPT)))
        elif path.name.endswith(NOTE):
            owner = path.with_name(path.name.removesuffix(NOTE) + TRANSCRIPT)
            yield Candidate(str(path), "sidecar", str(owner))


def sniff(head: bytes) -> bool:
    """Tell from a file's first bytes whether it is a transcript of this host; the last line may be cut off."""
    lines = head.split(b"\n")
    for line in lines[:-1] if len(lines) > 1 else lines:
        rows, _ = parse(line)
        if any(_is_ours(parsed.row) for parsed in rows):
            return True
    opening = lines[-1][:OPENING_BYTES]
    return opening.startswith(OPENINGS) or (b'"parentUuid"' in opening and b'"isSidechain"' in opening)


def _is_ours(row: Row) -> bool:
    if row.type is None:
        return False
    if row.session_id is not None:
        return True
    return (row.type == "summary" and row.leaf_uuid is not None) or row.type == "file-history-snapshot"


def head(path: Path, lines: Iterable[bytes]) -> Head | None:
    """Return what names a transcript: its session and the first working directory that it records.

    None while no line has a message of a session. Rows outside the tree come first and have no directory yet.
    """
    agent_file = path.name.startswith("agent-")
    side: Row | None = None
    for line in lines:
        for parsed in parse(line)[0]:
            row = parsed.row
            if row.uuid is None or not row.session_id:
                continue
            if not (row.is_sidechain and row.agent_id):
                return _head_of(row)
            side = side or row
            if agent_file:
                return _side_head(row)
    return _side_head(side) if side is not None else None


def _head_of(row: Row) -> Head:
    session = row.session_id or ""
    copied = row.forked_from
    if copied is not None and copied.session_id and copied.session_id != session:
        return Head(session, row.cwd or "", copied.session_id, "fork")
    return Head(session, row.cwd or "")


def _side_head(row: Row) -> Head:
    session = row.session_id or ""
    return Head(f"{session}/agent-{row.agent_id}", row.cwd or "", session, "subagent")
